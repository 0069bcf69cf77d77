/**
 * Runs the documents. Every code block of README.md and docs/ works against a running system, and the answers have the
 * shapes that the documents show. Blocks that need something else are listed with the reason.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOrigin } from '@tidemark/testing/origin'
import { signatureHeaders } from '@tidemark/webhook/domain/signature'
import pg from 'pg'
import { test } from 'tap'
import { parse as parseYaml } from 'yaml'
import { sharedBin, sharedSystem } from '../e2e/system.ts'
import { pythonPackagesIn } from '../programs.ts'
import { type Block, blocksOf, commentsIn } from './blocks.ts'
import { notRun } from './not-run.examples.ts'
import { type Given, type Ran, runPython, runShell, runTypeScript, type Setting } from './runners.ts'
import { documentedJson, misfits } from './shapes.ts'
import { manualPages, pagesAt } from './site.examples.ts'

const root = join(import.meta.dirname, '../..')
const limitMs = 240_000

const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(path => /^(?:README|docs\/(?!decisions\/).+|clients\/\w+\/README)\.md$/.test(path))
  .sort()
const all = documents.flatMap(path => blocksOf(path, readFileSync(join(root, path), 'utf8')))
const namesOf = ({ document, heading, code }: Block) => [
  document,
  `${document}#${heading}`,
  `${document}: ${code.split('\n')[0]}`,
]
const isRun = (block: Block) => namesOf(block).every(name => notRun[name] === undefined)
const runnable = ['sh', 'python', 'ts']
const lanes = [...runnable, 'sh2']
const run = all.filter(block => runnable.includes(block.language) && isRun(block))
const at = ({ document, line, language }: Block) => `${document}:${line} (${language})`
const ofLanguage = (language: string) => run.filter(block => block.language === language)

const fiveLines = 'docs/five-lines.md'

/** Pages that describe a task: each shows its example in every language. */
const tasks = documents.filter(path =>
  /^docs\/(?:quickstart|api\/(?!README|export-formats)[a-z-]+)\.md$/.test(path),
)

test('Every task has its example for curl, TypeScript, Python and the command line', async t => {
  t.ok(tasks.length >= 11, tasks.join(' '))
  for (const document of tasks) {
    const blocks = run.filter(block => block.document === document)
    const heading = document.endsWith('quickstart.md') ? '2. Crawl' : 'Example'
    const example = blocks.filter(block => block.heading === heading)
    t.strictSame(
      example.map(({ language }) => language),
      ['sh', 'ts', 'python', 'sh'],
      document,
    )
    t.match(example[0]?.code, /\bcurl /, document)
    t.match(example[3]?.code, /\btidemark /, document)
    for (const { code } of blocks) t.notMatch(code, /\/v1\/[a-z]+\/\d/, `${document} reads ids from answers`)
  }
})

test('Every block that is not run exists and has its reason', async t => {
  const known = new Set(all.flatMap(namesOf))
  for (const name of Object.keys(notRun)) t.ok(known.has(name), name)
  for (const block of all.filter(({ language }) => language === 'json'))
    t.doesNotThrow(() => documentedJson(block.code), at(block))
})

const packages = await pythonPackagesIn(sharedBin()).catch((error: Error) => error)
const secret = '2a'.repeat(32)
const body = JSON.stringify({ event: 'crawl.done', id: 42, status: 'done', url: 'https://example.com/' })
const signed = signatureHeaders([Buffer.from(secret, 'hex')], {
  id: 'msg_1',
  timestamp: Math.floor(Date.now() / 1000),
  body,
})
/** Values that the examples of a webhook receiver take from the program around them. */
const pythonGiven: Given = {
  'docs/python.md': {
    request: `__import__("types").SimpleNamespace(body=${JSON.stringify(body)}.encode(), headers=${JSON.stringify(signed)})`,
    secret: JSON.stringify(secret),
    older_secret: JSON.stringify('11'.repeat(32)),
  },
}
const typeScriptGiven: Given = {
  'docs/typescript.md': {
    body: JSON.stringify(body),
    request: JSON.stringify({ headers: signed }),
    secret: JSON.stringify(secret),
  },
}

test('Queries and configurations are valid', async t => {
  const languages = ['sh', 'ts', 'python', 'json', 'sql', 'yaml', 'ini', 'toml', '']
  for (const block of all) t.ok(languages.includes(block.language), at(block))
  for (const block of all.filter(({ language }) => language === 'yaml'))
    t.doesNotThrow(() => parseYaml(block.code), at(block))
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const database = new pg.Client({ connectionString: (await system.runFile()).postgres.url })
  await database.connect()
  t.teardown(() => database.end())
  for (const block of all.filter(({ language }) => language === 'sql')) {
    await database.query('begin')
    await t.resolves(database.query(block.code), at(block))
    await database.query('rollback')
  }
})

test('The examples run', { timeout: 2 * limitMs }, async t => {
  const system = await sharedSystem()
  t.teardown(() => system.stop())
  const scratch = await mkdtemp(join(tmpdir(), 'tidemark-snippets-'))
  t.teardown(() => rm(scratch, { recursive: true, force: true }))

  /** Gives each lane a site and a project of its own, so that neither waits for another one. */
  async function settingOf(lane: string, folder: string, env: NodeJS.ProcessEnv = {}) {
    const origin = await startOrigin({ host: `127.1.7.${1 + lanes.indexOf(lane)}` })
    origin.site({ ...pagesAt(origin.url), ...manualPages })
    t.teardown(() => origin.close())
    const key = await system.createProject(`documents-${lane}`, '--unlimited')
    await system.crawl(key, { url: `${origin.url}/`, delay_ms: 0 })
    const setting: Setting = {
      folder,
      limitMs,
      env: {
        ...process.env,
        BASE: system.base,
        KEY: key,
        TIDEMARK_BASE_URL: system.base,
        TIDEMARK_API_KEY: key,
        ...env,
      },
    }
    const written = (block: Block): Block => ({
      ...block,
      code: block.code
        .replaceAll(/https:\/\/(?:(?:hooks\.)?example\.com|sqlite\.org)/g, origin.url)
        .replaceAll('http://127.0.0.1:8080', system.base)
        .replaceAll('tmk_…', key)
        .replaceAll('"acme"', `"acme-${Date.now()}"`),
    })
    const read = (text: string) => text.replaceAll(origin.url, 'https://example.com')
    return { setting, written, read }
  }

  /** Runs the documents in two lanes, each with a site of its own, because crawls wait more than they work. */
  async function shells(): Promise<Ran[]> {
    const documents = new Set(ofLanguage('sh').map(({ document }) => document)).values()
    const lane = async (name: string): Promise<Ran[]> => {
      const { setting, written } = await settingOf(name, scratch)
      const ran: Ran[] = []
      for (const document of documents) {
        const blocks = ofLanguage('sh').filter(block => block.document === document)
        const folder = join(scratch, document.replaceAll('/', '-'))
        ran.push(...(await runShell(blocks.map(written), { ...setting, folder })))
      }
      return ran
    }
    return (await Promise.all(['sh', 'sh2'].map(lane))).flat()
  }

  async function typeScript() {
    const { setting, written, read } = await settingOf('ts', t.testdir({}))
    return { ran: await runTypeScript(ofLanguage('ts').map(written), setting, typeScriptGiven), read }
  }

  async function python() {
    if (packages instanceof Error) return null
    const paths = { PYTHONPATH: `${join(root, 'clients/python')}:${packages}` }
    const { setting, written, read } = await settingOf('python', join(scratch, 'python'), paths)
    return { ran: await runPython(ofLanguage('python').map(written), setting, pythonGiven), read }
  }

  const [inShell, inTypeScript, inPython] = await Promise.all([shells(), typeScript(), python()])

  const checkEnds = (ran: Ran[]) => {
    t.ok(ran.length > 10, `${ran.length} blocks`)
    for (const { block, isDone, output, faults } of ran)
      t.ok(isDone, at(block), isDone ? {} : { output, faults })
  }
  checkEnds(inShell)
  checkEnds(inTypeScript.ran)
  if (inPython === null) t.pass('without Python', { skip: String(packages) })
  else checkEnds(inPython.ran)

  for (const { block, output } of inShell) {
    const answers = jsonLinesIn(output)
    const isErrorExpected = block.document === 'docs/api/errors.md'
    if (!isErrorExpected)
      for (const answer of answers) t.notMatch(answer, { error: { request_id: String } }, at(block))
    for (const shown of [...commentsIn(block.code), ...jsonBehind(block)]) {
      const differences = answers.map(answer => misfits(documentedJson(shown), answer))
      const isShown = differences.some(list => list.length === 0)
      t.ok(isShown, `${at(block)} answers ${shown.slice(0, 60)}`, isShown ? {} : { differences, output })
    }
  }

  const shape = (text: string) => text.replaceAll(/\d+/g, '0').trim()
  for (const document of inPython === null ? [] : [...tasks, fiveLines]) {
    const printed = ({ ran, read }: NonNullable<typeof inPython>) =>
      ran.filter(({ block }) => block.document === document).map(({ output }) => shape(read(output)))
    const [fromTypeScript, fromPython] = [
      printed(inTypeScript),
      printed(inPython as NonNullable<typeof inPython>),
    ]
    t.ok(
      fromTypeScript.every(text => text !== ''),
      `${document} prints a result`,
    )
    t.strictSame(fromPython, fromTypeScript, `${document} prints the same from Python and TypeScript`)
  }

  const ofFiveLines = [...inShell, ...inTypeScript.ran, ...(inPython?.ran ?? [])].filter(
    ({ block }) => block.document === fiveLines,
  )
  t.ok(ofFiveLines.length >= 2)
  for (const { block, output } of ofFiveLines)
    t.equal(
      output.match(/^# About \w+$/gm)?.length,
      Object.keys(manualPages).length,
      `${at(block)}: every page`,
    )
})

/** The answers in an output, each on a line of its own. */
const jsonLinesIn = (output: string): unknown[] =>
  output.split('\n').flatMap(line => {
    try {
      return line.startsWith('{') ? [JSON.parse(line)] : []
    } catch {
      return []
    }
  })

/** The JSON block directly behind a block with curl, which shows its answer. */
function jsonBehind({ document, line, code }: Block): string[] {
  if (!code.includes('curl ')) return []
  const blocks = all.filter(block => block.document === document)
  const next = blocks[blocks.findIndex(block => block.line === line) + 1]
  return next?.language === 'json' ? [next.code] : []
}
