/** The part of a long robots.txt that a run and the other services read. */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { verdictFor } from '@tidemark/robots/ai-bot-policy'
import { test } from 'tap'
import { orders } from '../fetcher.scene.ts'
import { fetchRobots } from './fetch-robots.ts'

const maxBytes = 500 * 1024
const url = 'https://site.test/robots.txt'

/** Returns the text that the run receives, and the shared file. */
async function readOf(body: Uint8Array, status = 200) {
  const shared: SiteFile[] = []
  const { toResult } = fetchRobots({
    sendRequest: () => Promise.reject(new Error('The response is given.')),
    cache: async (_url, file) => void shared.push(file),
  })
  const work = orders(1, [{ kind: 'robots', url }])
  const [order] = work.orders
  if (order === undefined) throw new Error('There is no order.')
  const fetched = { url, status, headers: {}, body: Buffer.from(body), encodings: [], hops: [], elapsedMs: 1 }
  const result = await toResult(work, order, { fetched, backOffMs: null })
  const outcome = 'outcome' in result && result.outcome.type === 'robots' ? result.outcome : null
  return { text: outcome?.body ?? null, shared: shared[0] }
}

/** Returns bytes of which the first 500 KiB end with `start`. `rest` follows. */
function long(start: string, rest: string, first = ''): Buffer {
  const padding = '#'.repeat(maxBytes - Buffer.byteLength(first) - Buffer.byteLength(start) - 1)
  return Buffer.from(`${first}${padding}\n${start}${rest}`)
}

test('A robots.txt that is longer than its limit', async t => {
  const path = 'Disallow: /'
  const rest = 'catalogue/item-number-17\nDisallow: /late\n'
  const rows: [name: string, start: string, rest: string, kept: string, first?: string][] = [
    ['a line', `User-agent: *\nDisallow: /a\n${path}`, rest, 'User-agent: *\nDisallow: /a\n'],
    ['a line after CR', `User-agent: *\rDisallow: /a\r${path}`, rest, 'User-agent: *\rDisallow: /a\r'],
    ['a line after CRLF', `User-agent: *\r\n${path}`, rest, 'User-agent: *\r\n'],
    ['CRLF', `User-agent: *\r\n${path}a\r`, `\n${path}b`, `User-agent: *\r\n${path}a\r`],
    ['nothing', `User-agent: *\n${path}a\n`, rest, `User-agent: *\n${path}a\n`],
    ['a line after a mark', `User-agent: *\n${path}`, rest, 'User-agent: *\n', '\ufeff'],
  ]
  for (const [name, start, rest, kept, first = ''] of rows) {
    const { text, shared } = await readOf(long(start, rest, first))
    t.ok(text?.endsWith(`#\n${kept}`), `ends with a complete line if the limit cuts ${name}`)
    t.match(shared, { text, truncated: true }, 'for the shared cache too')
    t.equal(verdictFor(text ?? '', 'tidemark', '/page').allowed, true)
  }
  const half = Buffer.concat([long(`${path}a`, '').subarray(0, -1), Buffer.from('\u00fc\n')])
  t.ok((await readOf(half)).text?.endsWith('#\n'), 'and if the limit cuts a character')

  const one = await readOf(Buffer.alloc(maxBytes + 1, 'a'))
  t.match(one, { text: '', shared: { text: '', truncated: true } }, 'has no rule if it is one line')
})

test('A robots.txt within its limit is read as a whole', async t => {
  const exact = long('User-agent: *\nDisallow: /a', '')
  t.match(await readOf(exact), {
    text: exact.toString(),
    shared: { text: exact.toString(), truncated: false },
  })
  const invalid = Buffer.alloc(maxBytes - 1, 0xff)
  t.match(await readOf(invalid), { shared: { truncated: false } }, 'its invalid bytes count once')
  t.match(await readOf(Buffer.from('Gone'), 404), { text: '', shared: { text: null, truncated: false } })
})
