/** The price table has every operation that is ever metered, and alone decides its price. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endings, prices, unitsOf, unitsOfCrawl } from '@tidemark/contracts/prices'
import { test } from 'tap'

const root = join(import.meta.dirname, '../..')
const metered = /operation: '([^']+)'/g

test('Every operation in the code and in stored events has a price', async t => {
  const sources = readdirSync(join(root, 'services'), { recursive: true, encoding: 'utf8' })
    .filter(
      path => path.endsWith('.ts') && !/\.(test|scene)\.ts$/.test(path) && !path.includes('node_modules'),
    )
    .map(path => readFileSync(join(root, 'services', path), 'utf8'))
  const named = sources.flatMap(text => [...text.matchAll(metered)].map(([, name = '']) => name))
  t.ok(named.includes('scan') && named.includes('scan_bulk'))
  const golden = join(root, 'test/contract/golden')
  const stored = readdirSync(golden).flatMap(file =>
    [...readFileSync(join(golden, file), 'utf8').matchAll(/"operation": "([^"]+)"/g)].map(
      ([, name = '']) => name,
    ),
  )
  for (const name of new Set([...named, ...stored])) t.ok(Object.hasOwn(prices, name), name)
})

test('Results cost a unit; challenges and failures cost nothing, except failures in bulk scans', async t => {
  for (const [operation, { units, at, kind }] of Object.entries(prices)) {
    t.strictSame(Object.keys(units), Object.keys(endings), operation)
    t.equal(units.cached, units.billed, `${operation}: a page from the store costs the same`)
    t.equal(
      kind === 'cloud_page',
      /^cloud_|_screenshot$|_retry$|_cloud$|_rendered$/.test(operation),
      operation,
    )
    for (const route of [at ?? []].flat()) t.match(route, /^(GET|POST) \/v1\/[\w/:-]*\*?$/, operation)
  }
  t.strictSame(prices.scan.units, { billed: 1, cached: 1, failed: 0, blocked: 0 })
  t.strictSame(prices.scan_bulk.units, { billed: 1, cached: 1, failed: 1, blocked: 0 })
  t.equal(unitsOf('map', 'billed'), 0)
  t.strictSame(unitsOfCrawl({ fetched: 10, blocked: 3, rendered: 2 }), { page: 5, cloud_page: 2 })
})
