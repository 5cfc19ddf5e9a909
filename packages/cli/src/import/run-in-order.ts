/**
 * Starts the work on each, some at once, and finishes each in order. Throws the first error once all work that was started
 * has ended.
 */
export async function runInOrder<Given, Done>(
  all: AsyncIterable<Given>,
  atOnce: number,
  start: (given: Given) => Promise<Done>,
  finish: (given: Given, done: Done) => void,
): Promise<void> {
  const running: { given: Given; work: Promise<Done> }[] = [];
  const finishAllBut = async (most: number): Promise<void> => {
    while (running.length > most) {
      const [{ given, work }] = running as [(typeof running)[number]];
      const done = await work;
      running.shift();
      finish(given, done);
    }
  };
  try {
    for await (const given of all) {
      const work = start(given);
      // It may fail before its turn comes.
      work.catch(() => undefined);
      running.push({ given, work });
      await finishAllBut(atOnce - 1);
    }
    await finishAllBut(0);
  } finally {
    await Promise.allSettled(running.map(({ work }) => work));
  }
}
