/** The state of a screen in its address, with a fake browser. */
import { test } from 'tap'

Object.assign(globalThis, {
  location: { pathname: '/console/crawls/5/explain', search: '?url=https://shop.example/p?id=7&q=a' },
  addEventListener: () => {},
})
// The files of the console have the types of a browser, which this test does not have.
const { addressQuery, segments } = await import(new URL('./web/data/address.ts', import.meta.url).href)

test('A value of the query keeps its own question mark', async t => {
  t.strictSame(segments.value, ['crawls', '5', 'explain'])
  t.strictSame(Object.fromEntries(addressQuery.value), { url: 'https://shop.example/p?id=7', q: 'a' })
})
