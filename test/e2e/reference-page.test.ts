/**
 * The address that `npm start` prints opens the reference with the key filled in, in a real Chromium under the page's own
 * policy. The key never leaves the browser except in the header of a request that the reader sends.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from '@tidemark/browser/executable'
import { lonelyServer } from '@tidemark/gateway/document.scene'
import { chromium } from 'playwright-core'
import { test } from 'tap'
import { sharedBin } from './system.ts'

const key = `tmk_${'k'.repeat(46)}`

test('The fragment of /docs fills in the key and disappears', { timeout: 180_000 }, async t => {
  const app = await lonelyServer()
  t.teardown(() => app.close())
  const received: string[] = []
  app.addHook('onRequest', async ({ raw }: { raw: IncomingMessage }) => {
    received.push(JSON.stringify([raw.url, raw.headers]))
  })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const home = await mkdtemp(join(tmpdir(), 'tidemark-reference-'))
  t.teardown(() => rm(home, { recursive: true, force: true }))
  const named = process.env.CHROMIUM_PATH ?? ''
  const { path, env } = await findBrowser({ named, home: process.env.BROWSER_HOME ?? sharedBin() })
  const browser = await chromium.launch({
    executablePath: path,
    chromiumSandbox: process.getuid?.() !== 0,
    env: { ...env, PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' },
  })
  t.teardown(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text())
  })

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
