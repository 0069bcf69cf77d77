import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { metricTable } from '@tidemark/telemetry/metric-table'
import { test } from 'tap'
import {
  computedImports,
  computedIn,
  type Declared,
  gatewayFolders,
  importsOf,
  ownNames,
  violations,
} from './architecture.ts'
import { sourcePaths } from './source-paths.ts'
import { allowedForTests, exportsForTests, unusedExports } from './unused-exports.ts'

const root = join(import.meta.dirname, '..')
function declaredBy(path: string): Declared {
  const home = dirname(path)
  const file = join(root, home, 'package.json')
  if (!existsSync(file)) return home === '.' ? new Set() : declaredBy(home)
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
  return new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)])
}

test('Every import keeps the law of CONTRIBUTING.md', async t => {
  const files = sourcePaths(root)
  t.ok(files.length > 50, `${files.length} files are read`)
  const found = files.flatMap(path =>
    violations({ path, text: readFileSync(join(root, path), 'utf8') }, declaredBy(path)),
  )
  t.strictSame(found, [])
})

test('A planted wrong import is found', async t => {
  const planted: [path: string, text: string][] = [
    ['services/gateway/account/x.ts', "import { decide } from '@tidemark/crawl-coordinator/domain/decide'"],
    ['services/gateway/account/x.ts', "import { decide } from '../../crawl-coordinator/domain/decide.ts'"],
    ['services/gateway/account/x.ts', "import { startOrigin } from '@tidemark/testing/origin'"],
    ['services/gateway/account/x.ts', "import express from 'express'"],
    ['services/gateway/account/x.ts', "import { Tidemark } from '@tidemark/sdk'"],
    ['clients/typescript/x.ts', "import { problems } from '@tidemark/contracts/problems'"],
    ['clients/typescript/x.ts', "import { problems } from '../../contracts/problems.ts'"],
    ['clients/cli/x.ts', "import { ApiProblem } from '@tidemark/gateway/http/domain/problem'"],
    ['clients/cli/x.ts', "import { urlKey } from '@tidemark/url/key'"],
    ['clients/cli/x.ts', "import { Tidemark } from '../typescript/tidemark.ts'"],
    ['services/gateway/account/adapters/x.ts', "import type { UsagePorts } from '../usage.ts'"],
    ['services/gateway/account/adapters/x.ts', "import { vary } from '../../http/requests/vary.ts'"],
    ['services/gateway/account/domain/x.ts', "import { admissions } from '../adapters/usage.ts'"],
    ['services/gateway/account/domain/x.ts', "import { readFileSync } from 'node:fs'"],
    ['services/gateway/account/x.ts', "import { openRuns } from '../crawls/adapters/runs.ts'"],
    [
      'services/gateway/actors/check-links/x.ts',
      "import type { LinkReads } from '../../links/adapters/link-reads.ts'",
    ],
    ['services/gateway/account/x.ts', "import { buildServer } from '../server.ts'"],
    ['services/gateway/metering/x.ts', "import type { Caller } from '../access/authentication.ts'"],
    ['services/gateway/live-pages/x.ts', "import { wantedOf } from '../scan/domain/scan.ts'"],
    ['services/crawl-coordinator/domain/x.ts', "import { readFileSync } from 'node:fs'"],
    ['services/crawl-coordinator/domain/x.ts', "import { publish } from '@tidemark/bus/publish'"],
    ['services/crawl-coordinator/domain/x.ts', "import { admissions } from '../adapters/admissions.ts'"],
    ['libs/http/x.ts', "import { publish } from '@tidemark/bus/publish'"],
    ['libs/db/x.ts', "import { database } from '@tidemark/gateway/database'"],
    ['libs/export/x.ts', "import { decodeBody } from '@tidemark/http/decode'"],
    ['contracts/x.ts', "import { urlKey } from '@tidemark/url/key'"],
    ['contracts/x.ts', "import { createHash } from 'node:crypto'"],
    ['services/gateway/account/x.ts', "import { unpack } from '@tidemark/deploy/local/servers/apt'"],
    ['services/gateway/account/x.ts', "import { seed } from '../gateway.scene.ts'"],
    ['services/gateway/account/x.ts', "import { seed } from '../gateway.test.ts'"],
    ['libs/eventstore/x.ts', "import { behaves } from './store.behaviour.ts'"],
    ['libs/http/x.ts', "import type { Form } from './guard.examples.ts'"],
    ['services/gateway/account/x.ts', "import { kept } from '@tidemark/content/keeping.scene'"],
    ['services/gateway/account/x.ts', 'await import(`../../extractor/service.ts`)'],
    ['services/gateway/account/x.ts', 'const { database } = await import(\n  file)'],
    ['libs/testing/x.ts', "import { database } from '@tidemark/gateway/database'"],
    ['libs/testing/x.ts', "import { declareStreams } from '@tidemark/deploy/nats/declare'"],
    ['deploy/local/start.ts', "const service = await import('@tidemark/gateway/service')"],
    ['deploy/local/host.ts', "await import('../../services/gateway/service.ts')"],
    ['libs/http/utils.ts', ''],
    ['libs/http/index.ts', ''],
    ['libs/http/long.ts', '\n'.repeat(300)],
  ]
  for (const [path, text] of planted) {
    t.equal(
      violations({ path, text }, new Set(['undici'])).length,
      1,
      `${path}: ${text.trim() || 'its name or length'}`,
    )
  }
})

test('An allowed import is no violation', async t => {
  const allowed: [path: string, text: string][] = [
    ['services/crawl-coordinator/domain/x.ts', "import type { Bus } from '@tidemark/bus/connection'"],
    ['services/crawl-coordinator/domain/x.ts', "import { urlKey } from '@tidemark/url/key'"],
    ['services/gateway/account/domain/x.ts', "import { formats } from '@tidemark/export/formats'"],
    ['libs/db/x.ts', "import { publish } from '@tidemark/bus/publish'"],
    ['libs/http/x.ts', "import { Agent } from 'undici'"],
    ['libs/http/x.test.ts', "import { startOrigin } from '@tidemark/testing/origin'"],
    ['services/gateway/account/x.ts', "import { openUsage } from '../metering/adapters/usage.ts'"],
    ['libs/http/x.test.ts', "import { unpack } from '@tidemark/deploy/local/servers/apt'"],
    ['libs/http/x.test.ts', 'await import(name)'],
    ['libs/browser/x.pages.ts', "import type { Page } from './browser.scene.ts'"],
    ['libs/testing/x.ts', "import { openBus } from '@tidemark/bus/connection'"],
    ['clients/typescript/web-crypto.ts', 'await import(name)'],
    ['clients/cli/x.ts', "import { Tidemark } from '@tidemark/sdk'"],
    ['clients/typescript/x.test.ts', "import { problems } from '@tidemark/contracts/problems'"],
    [
      'services/gateway/reference-pages/adapters/x.ts',
      "import type { Said } from './reference-script.worker.ts'",
    ],
    ['services/gateway/account/domain/x.ts', "import { refusal } from '../../http/domain/refusal.ts'"],
    ['services/gateway/actors/check-links/x.ts', "import { readBilled } from '../read-billed.ts'"],
    ['services/gateway/monitors/cron-runs.ts', "import { accepted } from '../crawls/started.ts'"],
    ['services/gateway/server.ts', "import { registerScan } from './scan/register.ts'"],
    ['services/gateway/database.ts', "import { database } from './read-model/x.ts'"],
  ]
  for (const [path, text] of allowed) t.strictSame(violations({ path, text }, new Set(['undici'])), [])
})

test('Each folder of the gateway is a feature or shared, and none is large', async t => {
  const paths = sourcePaths(root)
  t.strictSame(gatewayFolders(paths), [])
  const planted = [
    'services/gateway/misc/x.ts',
    ...Array.from({ length: 31 }, (_, n) => `services/gateway/links/domain/${n}.ts`),
  ]
  t.equal(gatewayFolders([...paths, ...planted]).length, 2)
})

test('Only the listed files have computed imports', async t => {
  for (const [path, loads] of computedImports)
    t.ok(computedIn(readFileSync(join(root, path), 'utf8')) > 0, `${path} loads ${loads}`)
})

test('Spans and their attributes are named in one file', async t => {
  const metrics = new Set(Object.keys(metricTable))
  const found = sourcePaths(root).flatMap(path =>
    ownNames({ path, text: readFileSync(join(root, path), 'utf8') }, metrics),
  )
  t.strictSame(found, [])
  const path = 'libs/x/x.ts'
  const about = "import { addSpanAttributes, withWorkSpan } from '@tidemark/bus/trace'\n"
  const planted = ["addSpanAttributes({ 'tidemark.run.id': 1 })", "withWorkSpan('work', place, {}, work)"]
  for (const text of planted) t.equal(ownNames({ path, text: about + text }, metrics).length, 1, text)
  const allowed = "addSpanAttributes({ [spanAttributes.runId]: 1 })\ncounter('tidemark.pages')"
  t.strictSame(ownNames({ path, text: about + allowed }, metrics), [])
})

test('Every export is imported by another file', async t => {
  const sources = sourcePaths(root).map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  t.strictSame(unusedExports(sources), [])
  const planted = [
    { path: 'libs/x/a.ts', text: 'export const taken = 1\nexport function left() {}\nexport type T = 1' },
    { path: 'libs/x/b.ts', text: "import { taken } from './a.ts'\nexport class Gone extends RangeError {}" },
    { path: 'libs/x/c.ts', text: 'const left = 1' },
  ]
  t.strictSame(unusedExports(planted), ['libs/x/a.ts exports left, which no other file imports'])
})

test('Only listed exports are for tests alone', async t => {
  const sources = sourcePaths(root).map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const found = new Set(exportsForTests(sources))
  t.strictSame([...found.difference(allowedForTests)], [])
  for (const name of allowedForTests.difference(found)) t.comment(`remove “${name}” from the list`)
  const planted = [
    { path: 'libs/x/a.ts', text: 'export const used = 1\nexport const tested = 1' },
    { path: 'libs/x/b.ts', text: "import { used } from './a.ts'" },
    { path: 'libs/x/a.test.ts', text: "import { tested, used } from './a.ts'" },
  ]
  t.strictSame(exportsForTests(planted), ['libs/x/a.ts tested'])
})

test('Imports are read in each form', async t => {
  const text = [
    "import 'a'",
    "import type { B } from 'b'",
    "import {\n  c,\n  type D,\n} from 'c'",
    "export { e } from 'e'",
    "const f = await import('f')",
    "import g from 'g'",
    "const text = `import 'none'`",
  ].join('\n')
  t.strictSame(
    importsOf(text).map(({ specifier }) => specifier),
    ['a', 'b', 'c', 'e', 'g', 'f'],
  )
})
