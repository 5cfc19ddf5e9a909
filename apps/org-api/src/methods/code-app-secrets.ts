import type { Encryption } from '@gatehouse/service-kit';
import type { CodeApp } from './code-app.ts';
import type { CodeAppStore } from './code-app-store.ts';

/** Code apps that are encrypted again at a time. */
const batchSize = 100;

export type CodeAppSecrets = ReturnType<typeof createCodeAppSecrets>;

/** The secrets of code apps, encrypted at rest, each for its user. */
export function createCodeAppSecrets({ codeApps, encryption }: { codeApps: CodeAppStore; encryption: Encryption }) {
  const contextOf = (userId: string) => `code app of ${userId}`;
  const seal = (userId: string, secret: string) => encryption.encrypt(secret, contextOf(userId));
  const open = ({ userId, sealedSecret }: CodeApp) => encryption.decrypt(sealedSecret, contextOf(userId));
  return {
    seal,
    /** Throws where the secret was encrypted with another CREDENTIALS_KEY. */
    open,
    /** Encrypts again what the previous key encrypted. */
    async renew(): Promise<void> {
      for (;;) {
        const apps = await codeApps.listOthers(encryption.currentPrefix, batchSize);
        await Promise.all(apps.map((app) => codeApps.replaceSealed(app, seal(app.userId, open(app)))));
        if (apps.length < batchSize) return;
      }
    },
  };
}
