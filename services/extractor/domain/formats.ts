/** Temporary: one line per page. */
import type { Format, FormatName } from '@tidemark/export/format'

const formatNamed = (name: FormatName): Format => ({
  name,
  fileType: () => ({ extension: 'jsonl', mediaType: 'application/x-ndjson' }),
  needs: ({ include }) => include,
  async *write(source, { include }) {
    for await (const page of source.pages(include)) yield Buffer.from(`${JSON.stringify(page)}\n`)
  },
})

const names = ['jsonl', 'markdown', 'parquet', 'warc', 'wacz', 'sitemap', 'graph'] as const
export const formats = Object.fromEntries(names.map(name => [name, formatNamed(name)])) as Record<
  FormatName,
  Format
>
