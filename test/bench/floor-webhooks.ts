/**
 * `floor-webhooks.ts CONCURRENCY`, forked: the minimal work of webhooks in Node. It signs a body and posts it with
 * undici, as often as the message says. It records nothing and repeats nothing.
 */
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Undici } from './floor-libraries.ts'

/** The message that starts it. */
export type Posts = { url: string; count: number }

const { Agent }: Undici = createRequire(join(import.meta.dirname, '../../libs/http/package.json'))('undici')
const concurrency = Number(process.argv[2])
const agent = new Agent({ connections: concurrency })
const secret = Buffer.alloc(32, 7)

process.on('disconnect', () => process.exit())
process.once('message', async ({ url, count }: Posts) => {
  const { origin, pathname: path } = new URL(url)
  let left = count
  const post = async () => {
    while (left-- > 0) {
      const body = JSON.stringify({ id: left, event: 'crawl.done', status: 'done', page_count: 1 })
      const signature = createHmac('sha256', secret)
        .update(`msg_${left}.${Date.now()}.${body}`)
        .digest('base64')
      const headers = { 'content-type': 'application/json', 'webhook-signature': `v1,${signature}` }
      const answer = await agent.request({ origin, path, method: 'POST', headers, body })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, post))
  process.send?.('done')
})
process.send?.('ready')
