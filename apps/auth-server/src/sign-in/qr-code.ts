import { encode } from 'uqr';
import { type Html, html } from '../pages/page.ts';

/** Modules around the code, so that readers find it (ISO/IEC 18004). */
const border = 4;

/** Draws a QR code, dark on light in every colour scheme. Nothing in it has a style, which the policy of pages forbids. */
export function drawQrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { border, ecc: 'M' });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg class="qr" viewBox="0 0 ${String(size)} ${String(size)}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/><path d="${modules.join('')}" fill="#000"/></svg>`;
}
