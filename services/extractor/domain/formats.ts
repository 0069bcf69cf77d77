/** Temporary: one line per page. */
import type { Format, FormatName } from '@tidemark/export/format'

export const formatNamed = (name: FormatName): Format => ({
  name,
  fileType: () => ({ extension: 'jsonl', mediaType: 'application/x-ndjson' }),
  needs: ({ include }) => include,
  async *write(source, { include }) {
    for await (const page of source.pages(include)) yield Buffer.from(`${JSON.stringify(page)}\n`)
  },
})
