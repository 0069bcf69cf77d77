/**
 * `node test/trace/run.ts [--pages N] [--all] [--spans FILE] FILE.svg` starts a whole system with one process per
 * service, crawls a small site and draws everything that followed from the request, up to the webhook. Exits with code
 * 1 when a span has neither its parent nor a link. `--all` also draws statements of Postgres and commands of Redis;
 * `--spans` writes the received spans to a file.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ReceivedSpan } from '@tidemark/testing/otlp'
import { crawlTraced, orphansIn, startTraced } from './one-crawl.ts'
import { pictureOf } from './picture.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pages: { type: 'string', default: '4' }, all: { type: 'boolean' }, spans: { type: 'string' } },
})
const [file] = positionals
if (file === undefined) {
  process.stderr.write('Name the output file, such as trace.svg.\n')
  process.exit(2)
}

await using traced = await startTraced({ PROCESSES: 'split' }, Number(values.pages))
const key = await traced.system.createProject('drawn')
const { traceId } = await crawlTraced(traced, key)
const { spans } = traced.receiver
if (values.spans) writeFileSync(values.spans, JSON.stringify(spans))
const drawn = values.all ? spans : spans.filter(span => !isOfStore(span))
const begins = drawn.filter(span => span.traceId === traceId && span.parentSpanId === '')
writeFileSync(file, pictureOf(drawn, begins))
const orphans = orphansIn(spans)
for (const { service, name } of orphans)
  process.stderr.write(`span without parent and link: ${service} ${name}\n`)
process.exitCode = orphans.length > 0 ? 1 : 0

/** Returns whether a span is a statement of Postgres or a command of Redis. */
function isOfStore({ attributes }: ReceivedSpan): boolean {
  return 'db.system' in attributes || 'db.system.name' in attributes
}
