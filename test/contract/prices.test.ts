/** The price table has every operation that is ever metered, and alone decides its price. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  amountText,
  costOf,
  dollarsOf,
  endings,
  microDollarsOf,
  prices,
  pricesOfPage,
  priceText,
  unitPrices,
  unitsOf,
  unitsOfCrawl,
} from '@tidemark/contracts/prices'
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
  t.strictSame({ ...prices.cloud_screenshot, at: prices.cloud_render.at }, prices.cloud_render)
  t.strictSame(unitsOfCrawl({ fetched: 10, blocked: 3, rendered: 2, carried: 1 }), { page: 4, cloud_page: 2 })
})

test('Descriptions state the price of the table', async t => {
  t.equal(priceText('cloud_render'), 'Costs one cloud page per URL.')
  t.equal(priceText('scan_bulk'), 'Costs one page per URL, even if it could not be fetched.')
  t.equal(
    priceText('check_links'),
    'Costs one page per requested URL, even if it could not be fetched or the site responded with a challenge for bots.',
  )
  t.equal(priceText('map'), 'Nothing is billed.')
  t.equal(amountText('cloud_search'), 'one cloud page')
  t.equal(amountText('scan', 'blocked'), 'nothing')
})

test('No description of the gateway or of its contracts writes a price by hand', async t => {
  const written = /\bcosts? (an?|one) (cloud )?page\b/i
  const lines = ['services/gateway', 'contracts/http'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(path => /(?<!\.test|\.scene)\.ts$/.test(path) && !path.includes('node_modules'))
      .flatMap(path =>
        readFileSync(join(root, folder, path), 'utf8')
          .split('\n')
          .map(line => ({ path: `${folder}/${path}`, line })),
      ),
  )
  t.ok(lines.length > 10_000, `${lines.length} lines are read`)
  const isComment = (line: string) => /^\s*(\/\*\*|\*|\/\/)/.test(line)
  t.strictSame(
    lines.filter(({ line }) => written.test(line) && !isComment(line)),
    [],
  )
})

test('Amounts in dollars are exact in millionths, and are rounded down', async t => {
  for (const [usd, amount] of [
    [0, 0],
    [0.001, 1_000],
    [0.29, 290_000],
    [1.005, 1_005_000],
    [0.0000019, 1],
    [0.0009999999, 999],
    [0.0019999996, 1_999],
    [10_000, 10_000_000_000],
  ] as const)
    t.equal(microDollarsOf(usd), amount, `${usd}`)
  for (let amount = 1; amount < 1e10; amount = amount * 3 + 1)
    t.equal(microDollarsOf(dollarsOf(amount)), amount)
  const units = unitsOfCrawl({ fetched: 10, blocked: 3, rendered: 2, carried: 1 })
  t.equal(costOf(units, unitPrices), 4 * unitPrices.page + 2 * unitPrices.cloud_page)
  t.strictSame(pricesOfPage(), { plain: unitPrices.page, rendered: unitPrices.cloud_page })
  t.strictSame(pricesOfPage({ page: 3, cloud_page: 5 }), { plain: 3, rendered: 5 })
})
