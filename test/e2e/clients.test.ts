/**
 * Clients of a whole system. The packed clients are installed in an empty folder and crawl to Markdown. The clients of
 * TypeScript and Python follow a crawl while its gateway is killed. Another client follows a crawl, is disconnected
 * repeatedly, and misses nothing.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Tidemark } from '@tidemark/sdk'
import { startOrigin } from '@tidemark/testing/origin'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { packClients } from '../../deploy/clients/pack.ts'
import { listen, listenToEnd, type Sent } from '../../services/gateway/crawls/events.scene.ts'
import { dice } from '../chaos/random.ts'
import { pythonPackagesIn } from '../programs.ts'
import { sharedBin, startSystem } from './system.ts'

const kills = Number(process.env.KILLS ?? 1)
const pages = 100 * kills
const run = promisify(execFile)

const linkTo = (n: number) => `<a href="/${n}">Page ${n}</a>`
const site = Object.fromEntries(
  Array.from({ length: pages }, (_, n) => {
    const links = [2 * n + 1, 2 * n + 2].filter(to => to < pages).map(linkTo)
    const text = `The tide of day ${n} turns twice. `.repeat(20)
    return [
      n === 0 ? '/' : `/${n}`,
      `<title>Page ${n}</title><h1>Page ${n}</h1><p>${text}</p>${links.join(' ')}`,
    ]
  }),
)

/** The first example of docs/typescript.md, on the site of the test. */
const fiveLines = (base: string, url: string): string => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/typescript.md'), 'utf8')
  const [, example = ''] = /^```ts\n([\s\S]+?)^```/m.exec(text) ?? []
  return example
    .replace("'http://127.0.0.1:8080'", JSON.stringify(base))
    .replace(
      "url: 'https://example.com/', max_pages: 500",
      `url: ${JSON.stringify(url)}, max_pages: 20, delay_ms: 0`,
    )
}
const typed = `
import { type Run, Tidemark, NotFoundError, metaOf } from '@tidemark/sdk'
const run: Run = await new Tidemark().crawls.wait(1)
const pages: number = run.page_count
const ids: string | null | undefined = metaOf(run)?.requestId
for await (const link of new Tidemark().crawls.links(1)) link.anchor satisfies string | null
export { ids, NotFoundError, pages }
// @ts-expect-error the field does not exist
run.pages_of_moon
`

const ids = (events: { id: string }[]) => events.map(({ id }) => id)

/** Prints the id of each event of a crawl, and ends with the crawl. */
const follower = `
import sys
from tidemark import Tidemark
with Tidemark() as client:
    for event in client.crawls.events(int(sys.argv[1])):
        print(event["id"], flush=True)
`

/** Returns the ids of the events that the client of Python receives, or the reason why it cannot run here. */
async function followedInPython(id: number, env: NodeJS.ProcessEnv): Promise<string[] | string> {
  const packages = await pythonPackagesIn(sharedBin()).catch((error: Error) => error)
  if (packages instanceof Error) return packages.message
  const paths = [join(import.meta.dirname, '../../clients/python'), packages].join(':')
  const { stdout } = await run('/usr/bin/python3', ['-S', '-s', '-c', follower, String(id)], {
    env: { ...env, PYTHONPATH: paths, PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 64 * 1024 ** 2,
  })
  return stdout.trim().split('\n')
}

const followed = sized(160, 300)
const cuts = sized(20, 50)
const deaths = sized(1, 3)
const limitMs = 120_000

const toPage = (n: number) => `<a href="/${n}">${n}</a>`
const tree = Object.fromEntries(
  Array.from({ length: followed }, (_, n) => {
    const links = [2 * n + 1, 2 * n + 2].filter(to => to < followed).map(toPage)
    return [n === 0 ? '/' : `/${n}`, `<title>Page ${n}</title>${links.join(' ')}`]
  }),
)

test('Clients', { timeout: patient(600_000) * Math.max(1, kills / 4) }, async t => {
  const system = await startSystem({ PROCESSES: 'split' })
  t.teardown(() => system.stop())

  await t.test('The clients of TypeScript and the command line', async t => {
    const origin = await startOrigin({ pages: site })
    t.teardown(() => origin.close())
    const key = await system.createProject('clients', '--unlimited')
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-clients-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    const env = {
      ...process.env,
      TIDEMARK_API_KEY: key,
      TIDEMARK_BASE_URL: system.base,
      XDG_CONFIG_HOME: folder,
    }
    // The packed clients run on the Node of the machine, which may be older than ours.
    const outside = { cwd: folder, env: { ...env, NODE_OPTIONS: '' } }
    const tidemark = async (...args: string[]) =>
      (await run(join(folder, 'node_modules/.bin/tidemark'), args, outside)).stdout
    const tidemarkJson = async (...args: string[]) => JSON.parse(await tidemark(...args, '--json'))

    await t.test('are installed from their packages into an empty folder', async t => {
      const packed = await packClients(folder)
      await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
      await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...Object.values(packed)], outside)
      const installed = await readdir(join(folder, 'node_modules/@tidemark'))
      t.strictSame(installed.sort(), ['cli', 'sdk'])
      t.strictSame(
        (await readdir(join(folder, 'node_modules'))).filter(name => !name.startsWith('.')),
        ['@tidemark'],
      )
    })

    await t.test('have types that a program compiles with', async t => {
      await writeFile(join(folder, 'typed.ts'), typed)
      const options = {
        module: 'nodenext',
        target: 'es2022',
        strict: true,
        noEmit: true,
        types: [],
        lib: ['es2023', 'dom', 'dom.iterable'],
      }
      await writeFile(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: options, files: ['typed.ts'] }),
      )
      const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc')
      const { stdout } = await run(tsc, ['-p', folder], outside).catch(error => error)
      t.equal(stdout, '')
    })

    await t.test('crawl to Markdown in five lines', async t => {
      await writeFile(join(folder, 'crawl.js'), fiveLines(system.base, `${origin.url}/`))
      await run('node', ['crawl.js'], outside)
      const files = (await readdir(folder)).filter(name => name.endsWith('.md'))
      t.equal(files.length, 20)
      for (const file of files.slice(0, 3))
        t.match(await readFile(join(folder, file), 'utf8'), /^# Page \d+\n/)
    })

    await t.test('crawl to Markdown with one command', async t => {
      const limits = ['--max-pages', '20', '--delay', '0']
      const crawled = await tidemarkJson('crawl', `${origin.url}/`, ...limits, '--out', 'saved')
      t.match(crawled, { status: 'done', page_count: 20, saved: { files: Number } })
      const files = (await readdir(join(folder, 'saved'), { recursive: true })).filter(name =>
        name.endsWith('.md'),
      )
      t.equal(files.length, 20, files.slice(0, 3).join(' '))
      t.match(
        await readFile(join(folder, 'saved', files[0] ?? ''), 'utf8'),
        /The tide of day \d+ turns twice/,
      )

      const id = String(crawled.id)
      for (const [format, ending] of [
        ['csv', '.csv'],
        ['jsonl', '.jsonl'],
        ['warc', '.warc.gz'],
        ['parquet', '.parquet'],
      ] as const) {
        await tidemark('export', id, '--format', format, '--out', `as-${format}`, '--json')
        const [file = ''] = await readdir(join(folder, `as-${format}`))
        t.ok(file.endsWith(ending), file)
      }
      const rows = (await readFile(join(folder, 'as-csv', `crawl-${id}-pages.csv`), 'utf8'))
        .trim()
        .split('\r\n')
      t.equal(rows.length, 21)
      t.match(await tidemark('explain', id, `${origin.url}/`), /verdict +fetched/)
      t.match(await tidemarkJson('fork', id, '--max-pages', '25'), { status: 'done', page_count: 25 })
      const replayed = await tidemarkJson('replay', id, '--exit-code')
      t.match(replayed, { pages_read: 20, pages_changed: 0, items: { length: 0 } })
    })

    await t.test('leave a crawl running at Ctrl-C without a terminal', async t => {
      const bin = join(folder, 'node_modules/@tidemark/cli/tidemark.js')
      const child = spawn('node', [bin, 'crawl', `${origin.url}/`, '--max-pages', '50', '--delay', '100'], {
        ...outside,
        stdio: 'pipe',
      })
      const [first] = await once(child.stderr, 'data')
      const [, id] = /^Crawl (\d+) of/.exec(String(first)) ?? []
      const closed = once(child, 'close')
      child.kill('SIGINT')
      t.strictSame(await closed, [130, null])
      const client = new Tidemark({ apiKey: key, baseUrl: system.base })
      t.match((await client.crawls.get(Number(id))).status, /queued|running/)
      await client.crawls.delete(Number(id))
    })

    await t.test(`follow a crawl of ${pages} pages while its gateway is killed ${kills} times`, async t => {
      const client = new Tidemark({ apiKey: key, baseUrl: system.base })
      const request = {
        url: `${origin.url}/`,
        // With many kills, a gateway needs the time to start between two of them.
        delay_ms: kills > 1 ? 80 : 40,
        concurrency: 4,
        depth: 20,
        max_pages: pages,
        trap_guards: false,
      }
      const { id } = await client.crawls.start(request)
      const waited = client.crawls.wait(id)
      const inPython = followedInPython(id, env)
      const received: { id: string; event: string }[] = []
      const killed = new Set<number>()
      let seen = 0
      for await (const event of client.crawls.events(id)) {
        received.push(event)
        if (event.event !== 'page' || ++seen < ((killed.size + 1) * pages) / (kills + 2)) continue
        if (killed.size === kills) continue
        const { processes } = await system.runFile()
        const pid = processes.find(({ services }) => services.includes('gateway'))?.pid
        // Events of a killed gateway may still arrive, before another one takes its place.
        if (!pid || killed.has(pid)) continue
        process.kill(pid, 'SIGKILL')
        killed.add(pid)
      }
      t.equal(killed.size, kills)
      const whole = await Array.fromAsync(client.crawls.events(id))
      t.strictSame(received, whole, `${received.length} events, each once and in order`)
      t.equal(new Set(ids(received)).size, received.length)
      t.equal(received.filter(({ event }) => event === 'page').length, pages)
      t.match(await waited, { status: 'done', page_count: pages })
      const fromPython = await inPython
      if (typeof fromPython === 'string') t.pass('without Python', { skip: fromPython })
      else t.strictSame(fromPython, ids(whole), 'the client of Python receives the same events, each once')
    })
  })

  await t.test('A client that follows a crawl misses nothing and receives nothing twice', async t => {
    const origin = await startOrigin({ pages: tree })
    t.teardown(() => origin.close())
    const key = await system.createProject('following', '--unlimited')
    const request = { url: `${origin.url}/`, delay_ms: 40, concurrency: 4, depth: 20, trap_guards: false }
    const run = (await system.call(key, 'POST', '/v1/crawls', request)).body.id
    const chance = dice(20261121)

    const began = performance.now()
    const one = await listen(system.base, key, run)
    const { value: first } = await one.events.next()
    const firstMs = performance.now() - began
    one.leave()
    t.ok(first, 'there is a first event')
    t.ok(firstMs < 1_000, `it came after ${firstMs.toFixed()} ms`)

    const received: Sent[] = []
    const killed: number[] = []
    let left = 0
    let failed = 0
    for (const end = Date.now() + limitMs; received.at(-1)?.type !== 'end' && Date.now() < end; ) {
      const after = received.at(-1)?.id
      const stream = await listen(system.base, key, run, after === undefined ? {} : { after }).catch(
        () => null,
      )
      if (stream?.status !== 200) {
        failed++
        await sleep(50)
        continue
      }
      const max = left < cuts ? 1 + Math.floor(chance() * 12) : Number.POSITIVE_INFINITY
      const isKill = killed.length < deaths && left >= (killed.length + 1) * 12
      let count = 0
      for await (const event of stream.events) {
        received.push(event)
        if (++count < max || event.type === 'end') continue
        if (!isKill) break
        killed.push(await killGateway())
        break
      }
      stream.leave()
      left++
    }
    t.equal(killed.length, deaths, `the gateway was killed ${killed.join(', ')}`)
    t.ok(left > cuts, `the client left ${left} streams; ${failed} could not be opened`)

    const whole = await listenToEnd(system.base, key, run)
    t.same(
      received.map(({ id }) => id),
      whole.map(({ id }) => id),
    )
    t.strictSame(received, whole)
    t.strictSame(await listenToEnd(system.base, key, run), whole)
    const { page_count, error_count } = await system.untilEnded(key, run)
    t.equal(page_count, followed)
    t.equal(whole.filter(({ type }) => type === 'page').length, page_count)
    const last = (type: string) => whole.findLast(event => event.type === type)?.data
    t.match(last('end'), { status: 'done', totals: { fetched: page_count, discovered: followed } })
    t.match(last('progress'), { page_count, error_count, pending: 0, discovered: followed })

    async function killGateway(): Promise<number> {
      const { processes } = await system.runFile()
      const gateway = processes.find(({ services }) => services.includes('gateway'))
      if (gateway === undefined) throw new Error('there is no gateway')
      process.kill(gateway.pid, 'SIGKILL')
      return gateway.pid
    }
  })
})
