import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Image } from '../branding/image.ts';
import { pathOfLogo } from './page-frame.ts';

/** An image runs no script and loads nothing, also where somebody opens it alone: SVG is a document. */
export const assetHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
};

/** `GET /assets/logo-….svg` or `.png`: the logo of the organization, where it has one. */
export function registerAssets(app: FastifyInstance, { logo }: { logo: Image | undefined }): void {
  if (logo === undefined) return;
  app.get(pathOfLogo(logo), { schema: { hide: true }, logLevel: 'warn' }, (_request, reply) =>
    sendImage(reply, logo, 'public, max-age=31536000, immutable'),
  );
}

export function sendImage(reply: FastifyReply, { mediaType, bytes }: Image, caching: string): FastifyReply {
  return reply.headers({ ...assetHeaders, 'content-type': mediaType, 'cache-control': caching }).send(bytes);
}
