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
  const isReadable = (app: CodeApp) => {
    try {
      return open(app) !== '';
    } catch {
      return false;
    }
  };
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
    /** Loses the secrets that no key at hand opens, and says how many. */
    async loseUnreadable(): Promise<number> {
      let lost = 0;
      for (let after: string | undefined; ; ) {
        const apps = await codeApps.list({ after, limit: batchSize });
        const unreadable = apps.filter((app) => !isReadable(app));
        await Promise.all(unreadable.map((app) => codeApps.loseSecret(app)));
        lost += unreadable.length;
        after = apps.at(-1)?.userId;
        if (apps.length < batchSize) return lost;
      }
    },
  };
}
