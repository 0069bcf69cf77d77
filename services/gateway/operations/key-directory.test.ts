/** The directory of the crawler's keys, as a site fetches it to verify a signed request. */
import { createHash, randomBytes } from 'node:crypto'
import { verified } from '@tidemark/testing/signatures'
import { test } from 'tap'
import { lonelyServer } from '../document.scene.ts'
import { openKeyDirectory } from './adapters/key-directory.ts'

const path = '/.well-known/http-message-signatures-directory'
const newKey = () => randomBytes(32).toString('base64')
const settings = {
  BOT_KEY: newKey(),
  BOT_KEY_SECOND: '',
  BOT_DIRECTORY_URL: '',
  PUBLIC_URL: 'https://api.example.com',
}

test('The directory is served with the signatures of its keys', async t => {
  const readDirectory = openKeyDirectory({ ...settings, BOT_KEY_SECOND: newKey() })
  const app = await lonelyServer('narrative', { readDirectory })
  t.teardown(() => app.close())
  const { statusCode, headers, rawPayload } = await app.inject({
    url: path,
    headers: { host: 'mirror.example' },
  })
  t.equal(statusCode, 200)
  t.match(headers, {
    'content-type': 'application/http-message-signatures-directory+json',
    'cache-control': 'public, max-age=3600',
    'content-digest': `sha-256=:${createHash('sha256').update(rawPayload).digest('base64')}:`,
    etag: /./,
  })
  const { keys } = JSON.parse(rawPayload.toString())
  t.equal(keys.length, 2)
  const tag = 'http-message-signatures-directory'
  const message = { headers: headers as Record<string, string>, authority: 'api.example.com' }
  t.equal(verified(message, keys, tag, Date.now() / 1000).length, 2)
  t.throws(() => verified({ ...message, authority: 'mirror.example' }, keys, tag, Date.now() / 1000))
  const again = await app.inject({ url: path, headers: { 'if-none-match': String(headers.etag) } })
  t.equal(again.statusCode, 304)
  t.match(await app.inject({ method: 'HEAD', url: path }), { statusCode: 200, body: '' })
})

test('Without a key there is no directory', async t => {
  const readDirectory = openKeyDirectory({ ...settings, BOT_KEY: '' })
  const app = await lonelyServer('narrative', { readDirectory })
  t.teardown(() => app.close())
  const { statusCode, body } = await app.inject(path)
  t.match([statusCode, JSON.parse(body)], [404, { error: { code: 'not_found', message: /does not sign/ } }])
})

test('Wrong settings of the directory are faults', async t => {
  const { BOT_KEY } = settings
  const wrong: [Partial<typeof settings>, RegExp][] = [
    [{ PUBLIC_URL: 'http://api.example.com' }, /BOT_DIRECTORY_URL is missing/],
    [
      { PUBLIC_URL: '', BOT_KEY_SECOND: BOT_KEY },
      /BOT_DIRECTORY_URL is missing[\s\S]*BOT_KEY_SECOND must be another/,
    ],
    [{ BOT_KEY: '', BOT_KEY_SECOND: BOT_KEY }, /BOT_KEY is missing/],
  ]
  for (const [one, fault] of wrong) t.throws(() => openKeyDirectory({ ...settings, ...one }), fault)
})
