/** The client matches the OpenAPI document of the service, and stays small. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { problems } from '@tidemark/contracts/problems'
import { build } from 'esbuild'
import { test } from 'tap'
import {
  currentDocument,
  operationsFile,
  operationsText,
  typesFile,
  typesText,
} from '../../test/client-types.ts'
import { errorClasses } from './errors.ts'
import { methods } from './methods.scene.ts'
import { operations, Tidemark } from './tidemark.ts'

const document = await currentDocument()
const mcp = JSON.parse(readFileSync(new URL('../mcp/package.json', import.meta.url), 'utf8'))

test('The generated files are those of the document', async t => {
  t.equal(readFileSync(typesFile, 'utf8'), typesText(document), 'npm run docs')
  t.equal(readFileSync(operationsFile, 'utf8'), operationsText(document), 'npm run docs')
  const broken = structuredClone(document)
  delete broken.components.schemas.Run?.properties?.page_count
  t.not(typesText(broken), typesText(document), 'a field that is missing changes the types')
})

test('Every operation of the document has a method that sends it', async t => {
  const ids = Object.values(document.paths).flatMap(path =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  t.strictSame(Object.keys(operations).sort(), ids.sort())
  t.strictSame(Object.keys(methods).sort(), ids, 'methods')
  for (const [id, method] of Object.entries(methods)) {
    const sent: string[] = []
    const fetch = async (url: unknown, init?: RequestInit) => {
      sent.push(`${init?.method} ${new URL(String(url)).pathname}`)
      throw new Error('no answer')
    }
    const client = new Tidemark({ apiKey: 'tmk_test', baseUrl: 'http://tidemark.test', maxRetries: 0, fetch })
    const path = {
      id: 1,
      old_id: 1,
      new_id: 2,
      delivery_id: 3,
      domain: 'd.example',
      path: 'p',
      prefix: 'tmk_12345678',
    }
    const called = method(
      client,
      { path, query: { url: 'https://example.com/' }, body: {} },
      { maxReconnects: 0 },
    )
    await t.rejects('then' in called ? Promise.resolve(called) : Array.fromAsync(called))
    const operation = operations[id as keyof typeof operations]
    const expected = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
      String(path[name as keyof typeof path]),
    )
    t.strictSame(sent, [`${operation.method} ${expected}`], id)
  }
})

test('docs/typescript.md lists every method', async t => {
  const text = readFileSync(new URL('../../docs/typescript.md', import.meta.url), 'utf8')
  const client = new Tidemark({ apiKey: 'tmk_test' })
  const documented = (name: string) => [
    ...(new RegExp(`^\\| \`${name}\` \\|(.*)\\|$`, 'm').exec(text)?.[1] ?? '').matchAll(/`(\w+)`/g),
  ]
  const groups = { ...client, tidemark: Object.fromEntries(ownMethods.map(name => [name, null])) }
  for (const [name, methods] of Object.entries(groups)) {
    const names = documented(name).map(([, method]) => method)
    t.strictSame(names.sort(), Object.keys(methods).sort(), name)
  }
})

const ownMethods = Object.getOwnPropertyNames(Tidemark.prototype).filter(name => name !== 'constructor')

test('Every code of the API has a class', async t => {
  const codes = [...Object.keys(problems), 'RATE_LIMITED']
  t.strictSame(Object.keys(errorClasses).sort(), codes.sort())
})

test('The client has at most 20 KB gzipped and no dependencies', async t => {
  const { outputFiles, metafile } = await build({
    entryPoints: [new URL('tidemark.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? '').byteLength
  t.ok(bytes > 0 && bytes <= 20 * 1024, `${bytes} bytes`)
  t.comment(`${bytes} bytes gzipped, not minified`)
  const inputs = Object.keys(metafile.inputs)
  t.strictSame(
    inputs.filter(file => !file.startsWith('clients/typescript/')),
    [],
  )
  for (const name of ['typescript', 'cli']) {
    const manifest = JSON.parse(readFileSync(new URL(`../${name}/package.json`, import.meta.url), 'utf8'))
    t.strictSame([manifest.version, manifest.dependencies], [document.info.version, undefined], name)
  }
  t.equal(mcp.version, document.info.version, 'the version of the MCP server')
})
