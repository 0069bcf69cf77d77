/** All formats of an export. */
import type { Format, FormatName } from './format.ts'
import { graph } from './graph/graph.ts'
import { jsonl } from './jsonl.ts'
import { markdown } from './markdown/markdown.ts'
import { parquet } from './parquet/parquet.ts'
import { sitemap } from './sitemap/sitemap.ts'
import { wacz } from './wacz/wacz.ts'
import { warc } from './warc/warc.ts'

export const formats: Record<FormatName, Format> = { jsonl, markdown, parquet, warc, wacz, sitemap, graph }
