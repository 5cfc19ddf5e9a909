import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Branding } from '../branding/branding.ts';
import type { Image } from '../branding/image.ts';
import { pathsOfImages } from './page-frame.ts';

/** An image runs no script and loads nothing, also where a user opens it alone: SVG is a document. */
export const assetHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
};

/** `GET /assets/logo-….svg`, `/assets/logo-dark-….png`, `/assets/icon-….ico`: the images of the organization. */
export function registerAssets(app: FastifyInstance, branding: Pick<Branding, 'logo' | 'logoDark' | 'favicon'>): void {
  const paths = pathsOfImages(branding);
  for (const kind of ['logo', 'logoDark', 'favicon'] as const) {
    const [image, path] = [branding[kind], paths[kind]];
    if (image === undefined || path === undefined) continue;
    app.get(path, { schema: { hide: true }, logLevel: 'warn' }, (_request, reply) =>
      sendImage(reply, image, 'public, max-age=31536000, immutable'),
    );
  }
}

export function sendImage(reply: FastifyReply, { mediaType, bytes }: Image, caching: string): FastifyReply {
  return reply.headers({ ...assetHeaders, 'content-type': mediaType, 'cache-control': caching }).send(bytes);
}
