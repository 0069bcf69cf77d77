/** The clipboard of a browser, which pages of plain HTTP do not have. */
import { test } from 'tap'

// The files of the console have the types of a browser, which this test does not have.
const { copyText } = await import(new URL('./web/data/clipboard.ts', import.meta.url).href)

test('A page without a clipboard says so', async t => {
  const copied: string[] = []
  const clipboard = { writeText: async (text: string) => void copied.push(text) }
  Object.defineProperty(globalThis, 'navigator', { value: { clipboard }, configurable: true })
  Object.assign(globalThis, { isSecureContext: true })
  await copyText('curl')
  t.strictSame(copied, ['curl'])
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true })
  Object.assign(globalThis, { isSecureContext: false })
  await t.rejects(copyText('curl'), { message: /Select the text and copy it/ })
})
