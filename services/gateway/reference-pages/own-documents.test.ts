/** Our own documentation as the gateway serves it: every document, its links, and the lists for programs. */
import { readdirSync, readFileSync } from 'node:fs'
import tap, { test } from 'tap'
import { lonelyServer } from '../document.scene.ts'
import { sections } from './domain/llms-txt.ts'

const app = await lonelyServer()
tap.teardown(() => app.close())
const folder = new URL('../../../docs/', import.meta.url)
const present = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  path => path.endsWith('.md') && !path.startsWith('decisions/'),
)
const linksIn = (text: string) => [...text.matchAll(/\]\((\/[^)#\s]+)/g)].map(([, path = '']) => path)

test('/llms.txt lists every document once, and each is served as Markdown', async t => {
  t.strictSame(sections.flatMap(([, paths]) => paths).toSorted(), present.toSorted())
  const { statusCode, headers, body } = await app.inject('/llms.txt')
  t.match(
    { statusCode, headers },
    { statusCode: 200, headers: { 'content-type': 'text/markdown; charset=utf-8' } },
  )
  t.match(body, /^# Tidemark\n\n> .+\n\n## Start\n\n- \[Quickstart/)
  t.ok(linksIn(body).length > 25)
  const known = new Set([...present, 'verify-evidence.mjs'].map(path => `/docs/${path}`))
  for (const path of linksIn(body)) {
    const answer = await app.inject(path)
    t.equal(answer.statusCode, 200, path)
    if (!path.endsWith('.md')) continue
    t.match(answer.headers, {
      'content-type': 'text/markdown; charset=utf-8',
      'cache-control': 'public, max-age=300',
      etag: /./,
    })
    const targets = [...answer.body.matchAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g)]
    for (const [, target = ''] of targets) {
      const { pathname } = new URL(target, `http://gateway${path}`)
      t.ok(known.has(pathname), `${path} links to ${target}`)
    }
  }
})

test('/llms-full.txt contains every document, with links that lead to the served ones', async t => {
  const { statusCode, headers, body } = await app.inject('/llms-full.txt')
  t.match({ statusCode, headers }, { statusCode: 200, headers: { 'cache-control': 'public, max-age=300' } })
  for (const title of ['Quickstart', 'Crawl', 'Use Tidemark from Python', 'Errors'])
    t.match(body, new RegExp(`^# ${title}`, 'm'))
  t.notMatch(body, /\]\(\.\.?\//, 'no relative links')
  const served = [...present, 'verify-evidence.mjs']
  for (const path of new Set(linksIn(body))) t.ok(served.includes(path.replace('/docs/', '')), path)
})

test('The script that verifies evidence is served as it is', async t => {
  const { headers, body } = await app.inject('/docs/verify-evidence.mjs')
  t.match(headers, { 'content-type': 'text/javascript; charset=utf-8' })
  t.equal(body, readFileSync(new URL('verify-evidence.mjs', folder), 'utf8'))
})

test('Documents are unchanged for a client that has them, and nothing else is served', async t => {
  const { headers } = await app.inject('/docs/quickstart.md')
  const again = await app.inject({
    url: '/docs/quickstart.md',
    headers: { 'if-none-match': String(headers.etag) },
  })
  t.equal(again.statusCode, 304)
  const others = [
    'none.md',
    '../package.json',
    '%2e%2e/package.json',
    'api',
    'decisions/README.md',
    'trace.svg',
    'api/../../README.md',
  ]
  for (const path of others) {
    const answer = await app.inject(`/docs/${path}`)
    t.equal(answer.statusCode, 404, path)
  }
})
