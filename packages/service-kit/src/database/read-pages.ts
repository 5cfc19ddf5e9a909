/** Rows that are read at a time. */
const pageSize = 500;

/** Reads a whole list, page by page: each page begins after the id that the one before ended with. */
export async function* readPages<Row extends { id: string }>(
  list: (page: { after: string | undefined; limit: number }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: string | undefined; ; ) {
    const page = await list({ after, limit: pageSize });
    yield page;
    after = page.at(-1)?.id;
    if (page.length < pageSize) return;
  }
}
