/**
 * The address that `npm start` prints opens the reference with the key filled in, in a real Chromium under the page's
 * own policy. The key never leaves the browser except in the header of a request that the reader sends.
 */

import type { IncomingMessage } from 'node:http'
import { lonelyServer } from '@tidemark/gateway/document.scene'
import { test } from 'tap'
import { openBrowser } from './console.scene.ts'

const key = `tmk_${'k'.repeat(46)}`

test('The fragment of /docs fills in the key and disappears', { timeout: 180_000 }, async t => {
  const app = await lonelyServer()
  t.teardown(() => app.close())
  const received: string[] = []
  app.addHook('onRequest', async ({ raw }: { raw: IncomingMessage }) => {
    received.push(JSON.stringify([raw.url, raw.headers]))
  })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const { page, faults } = await openBrowser(t)

  await page.goto(`${base}/docs#key=${key}`)
  const field = page.locator('.scalar-password-input').first()
  await field.waitFor({ timeout: 60_000 })
  t.comment(await page.title())
  t.equal(await page.evaluate('location.href'), `${base}/docs`, 'the address has no key')
  t.equal(await page.evaluate('history.length'), 2)
  t.equal(await field.inputValue(), key, 'the field of the key has it')
  t.notMatch(received.join('\n'), key, 'no request has the key')
  t.strictSame(faults, [], 'the policy forbids nothing that the page needs')
  t.notMatch(
    await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'),
    key,
    'nothing is stored',
  )
})
