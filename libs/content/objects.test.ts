/**
 * Bodies in an object store under failures: concurrent storing and sweeping, killed processes, a store that is
 * unavailable or rejects requests. The final state must always be consistent: every page has its body, and every
 * object belongs to a body.
 */
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { gzipSync } from 'node:zlib'
import { healthOf } from '@tidemark/bus/troubles'
import { listening } from '@tidemark/testing/listening'
import { startObjectStore } from '@tidemark/testing/object-store'
import { sized } from '@tidemark/testing/tier'
import { until } from '@tidemark/testing/until'
import tap, { type Test, test } from 'tap'
import { plainBody } from './body.ts'
import { encodeEdges } from './edges.ts'
import { bucketOf, surroundings } from './keeping.scene.ts'
import { BodiesAway, nameFor, type Objects } from './objects.ts'
import { openBucket } from './s3.ts'
import { bodyFaults, endpointFault } from './settings.ts'
import type { StoredPage } from './statements.ts'
import { openContent } from './store.ts'
import { recordDeleted, sweepContent } from './sweeping.ts'
import { watchObjects } from './watch-objects.ts'

const store = await startObjectStore()
tap.teardown(() => store.stop())

const digest = (bytes: Buffer) => hash('sha256', bytes, 'buffer')
const keyOf = (name: string) => name.padStart(11, '0')

const page = (runId: number, name: string, text: string): StoredPage => ({
  runId,
  urlKey: keyOf(name),
  body: plainBody(digest(Buffer.from(text)), Buffer.from(text)),
  charset: 'utf-8',
  contentType: 'text/html',
  metadata: '{}',
  edges: encodeEdges([]),
})

type Scene = Awaited<ReturnType<typeof surroundings>> & { objects: Objects }

async function sceneOf(t: Test): Promise<Scene> {
  const { objects, ...scene } = await surroundings(t, store)
  if (objects === undefined) throw new Error('no objects')
  return { ...scene, objects }
}

/** Makes all announced names due, as after an hour. Then the objects must equal the names in rows. */
async function settled(t: Test, { pool, sweep, named }: Scene, what: string): Promise<void> {
  await pool.query('update content.object set sweep_at = now()')
  await sweep()
  const { held, announced } = await named()
  t.strictSame(announced, [], `${what}: no name is left over`)
  t.strictSame(await store.names(), held, `${what}: objects are those of bodies`)
}

const textOf = async (content: Scene['content'], runId: number, name: string) =>
  (await content.readPage(runId, keyOf(name)))?.body?.toString()

/** Returns an object store with additional behaviour. */
const hooked = (objects: Objects, hooks: Partial<Objects>): Objects => ({ ...objects, ...hooks })

test('A bucket', async t => {
  const bucket = openBucket(bucketOf(store))
  t.teardown(() => bucket.close())
  const names = ['a', 'b', 'c'].map(text => nameFor(digest(Buffer.from(text)))).sort()
  const [first = '', second = '', third = ''] = names
  const data = Buffer.from([0, 255, 10, 13, 200])

  t.equal(await bucket.get(first), null, 'is empty at first')
  await Promise.all(names.map(name => bucket.put(name, data)))
  t.strictSame(await bucket.get(second), data, 'returns the same bytes')
  await bucket.put(first, Buffer.alloc(0))
  t.strictSame(await bucket.get(first), Buffer.alloc(0), 'also none')
  t.strictSame(await bucket.list('', 2), [first, second])
  t.strictSame(await bucket.list(second, 2), [third], 'lists names in order, after a given one')
  await Promise.all([...names, ...names].map(bucket.remove))
  t.strictSame(await bucket.list('', 10), [], 'removes repeatedly without an error')
  await bucket.probe()

  const others = {
    'with another secret': { secretAccessKey: 'wrong' },
    'that does not exist': { bucket: 'nowhere' },
    'of a store that does not exist': { endpoint: 'http://127.0.0.1:1' },
  }
  for (const [what, more] of Object.entries(others)) {
    const other = openBucket({ ...bucketOf(store), ...more })
    const away = { name: 'BodiesAway', message: /^(GET|PUT|DELETE) at the store of bodies: / }
    await t.rejects(other.probe(), away, what)
    await t.rejects(other.get(first), away, `${what}: it is not said that there is no object`)
    await t.rejects(other.remove(first), away)
    await t.rejects(other.put(first, data), away)
    await t.rejects(other.list('', 1), away)
    other.close()
  }
})

test('A store with faulty responses', async t => {
  const methods: string[] = []
  let answer = (_: http.IncomingMessage, response: http.ServerResponse) => void response.end()
  const server = http.createServer((request, response) => {
    methods.push(request.method ?? '')
    request.resume().on('end', () => answer(request, response))
  })
  const { url: endpoint, close } = await listening(server)
  t.teardown(close)
  const bucket = openBucket({ ...bucketOf(store, 3_000), endpoint })
  const hasty = openBucket({ ...bucketOf(store, 300), endpoint })
  t.teardown(() => {
    for (const one of [bucket, hasty]) one.close()
  })

  let failures = 2
  answer = (_, response) => void response.writeHead(failures-- > 0 ? 503 : 200).end('body')
  t.strictSame(await bucket.get('x'), Buffer.from('body'), 'is read again')
  t.strictSame(methods.splice(0), ['GET', 'GET', 'GET'])

  answer = (_, response) => void response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
  await t.rejects(bucket.put('x', Buffer.from('x')), { name: 'BodiesAway', message: /503 SlowDown/ })
  t.strictSame(methods.splice(0), ['PUT'], 'but never receives one name twice')
  await t.rejects(bucket.remove('x'), { message: /503 SlowDown/ })
  t.strictSame(methods.splice(0), ['DELETE', 'DELETE', 'DELETE'], 'and attempts are limited')

  answer = (_, response) => void response.writeHead(413).end()
  await t.rejects(bucket.put('x', Buffer.from('x')), { name: 'BodyTooLarge' })

  answer = () => {} // does not respond
  const silent = { name: 'BodiesAway', message: /no response within/ }
  const acts: Promise<unknown>[] = [
    hasty.probe(),
    hasty.get('x'),
    hasty.remove('x'),
    hasty.put('x', Buffer.of(1)),
  ]
  await Promise.all(acts.map(act => t.rejects(act, silent, 'has a time limit')))
  answer = (_, response) => void response.writeHead(200).write('some of it')
  await t.rejects(hasty.get('x'), { name: 'BodiesAway' }, 'also if it stops in the middle')
  answer = (request, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half')
    setTimeout(() => request.socket.destroy(), 10)
  }
  await t.rejects(bucket.get('x'), { name: 'BodiesAway' }, 'and an incomplete body is an error')
})

test('Settings of a store', async t => {
  const { S3_REGION: _, ...four } = store.env
  const whole = { ...store.env, S3_PATH_STYLE: true, S3_TIMEOUT_MS: 1_000 }
  t.strictSame(bodyFaults({ ...whole, BODIES: 's3' }), [])
  t.strictSame(bodyFaults({ ...whole, BODIES: 'postgres' }), [], 'a store may be configured only for reading')
  for (const name of Object.keys(four))
    t.match(bodyFaults({ ...whole, [name]: '' }), [new RegExp(`^${name} `)])
  const none = Object.fromEntries(Object.keys(four).map(name => [name, ''])) as typeof four
  t.strictSame(bodyFaults({ ...whole, ...none }), [])
  t.equal(bodyFaults({ ...whole, ...none, BODIES: 's3' }).length, 4)
  for (const right of ['', 'https://s3.test', 'http://10.0.0.1:9000/']) t.equal(endpointFault(right), null)
  for (const wrong of ['s3.test', 'ftp://s3.test', 'https://s3.test/bucket', 'https://key@s3.test'])
    t.type(endpointFault(wrong), 'string', wrong)
})

test('Concurrent storing and sweeping of bodies in objects', async t => {
  const scene = await sceneOf(t)
  const { pool, content, objects, open, transaction, sweep, named } = scene
  const within = (hooks: Partial<Objects>) => open(pool, transaction, hooked(objects, hooks))

  await t.test('a known body that is swept while others of its batch are put', async t => {
    await content.storePages([page(1, 'a', 'was there')])
    let puts = 0
    const late = within({
      async put(name, data) {
        if (puts++ === 0) {
          await recordDeleted(pool, [1])
          await sweep()
          t.strictSame((await named()).held, [], 'the body is deleted')
        }
        await objects.put(name, data)
      },
    })
    await late.storePages([page(2, 'a', 'was there'), page(2, 'b', 'is new')])
    t.equal(puts, 2, 'and is put again')
    t.equal(await textOf(content, 2, 'a'), 'was there')
    t.equal(await textOf(content, 2, 'b'), 'is new')
    await settled(t, scene, 'after it')
  })

  await t.test('a name that the sweeper has marked for deletion after an hour', async t => {
    const died = new Error('died')
    const sweepers: Record<string, Objects['remove']> = {
      'and has removed it': objects.remove,
      'and died after the removal of its object': name =>
        objects.remove(name).then(() => Promise.reject(died)),
      'and died before the removal': () => Promise.reject(died),
    }
    for (const [what, remove] of Object.entries(sweepers)) {
      let puts = 0
      const slow = within({
        async put(name, data) {
          await objects.put(name, data)
          if (puts++ > 0) return
          await pool.query('update content.object set sweep_at = now()')
          const never = new AbortController().signal
          await sweepContent(transaction, never, hooked(objects, { remove })).catch(error => {
            if (error !== died) throw error
          })
        },
      })
      await slow.storePages([page(3, 'a', what)])
      t.equal(puts, 2, what)
      t.equal(await textOf(content, 3, 'a'), what)
      await settled(t, scene, what)
    }
  })

  await t.test('a busy store that takes one body at a time', async t => {
    let isBusy = false
    const slow = within({
      async put(name, data) {
        if (isBusy) throw new BodiesAway('busy')
        isBusy = true
        await objects.put(name, data).finally(() => (isBusy = false))
      },
    })
    const pages = ['a', 'b', 'c', 'd', 'e'].map(name => page(16, name, `busy ${name}`))
    await slow.storePages(pages)
    for (const name of ['a', 'e']) t.equal(await textOf(content, 16, name), `busy ${name}`)
    await settled(t, scene, 'after it')
  })

  await t.test('two processes that put the same body in different encodings', async t => {
    const bytes = Buffer.from('the same '.repeat(1000))
    const gzipped = { hash: digest(bytes), encodings: ['gzip'], size: bytes.length, data: gzipSync(bytes) }
    const pages = [page(4, 'a', bytes.toString()), { ...page(5, 'a', ''), body: gzipped }]
    const both = Promise.withResolvers<void>()
    let puts = 0
    const together = within({
      async put(name, data) {
        if (++puts === 2) both.resolve()
        await both.promise
        await objects.put(name, data)
      },
    })
    await Promise.all(pages.map(one => together.storePages([one])))
    const read = await Promise.all([4, 5].map(runId => content.readPage(runId, keyOf('a'))))
    t.strictSame(read[0]?.body, read[1]?.body, 'have one body')
    const [encoding] = read[0]?.encodings ?? []
    const stored = pages.find(({ body }) => body?.encodings[0] === encoding)
    t.strictSame(read[0]?.body, stored?.body?.data, 'in the encoding of its row')
    await sweep()
    t.strictSame(await store.names(), (await named()).held, 'and the other object is removed immediately')
  })

  await t.test('an object that is being removed while its body is stored again', async t => {
    await content.storePages([page(6, 'a', 'again')])
    await recordDeleted(pool, [6])
    let removed = 0
    const slow = hooked(objects, {
      async remove(name) {
        removed++
        await content.storePages([page(7, 'a', 'again')])
        await objects.remove(name)
      },
    })
    await sweepContent(transaction, new AbortController().signal, slow)
    t.equal(removed, 1)
    t.equal(await textOf(content, 7, 'a'), 'again', 'is another object')
    await settled(t, scene, 'after it')
  })

  await t.test('a page that is read while it is swept', async t => {
    await content.storePages([page(8, 'a', 'short'), page(9, 'a', 'short'), page(9, 'b', 'lost')])
    const reader = within({
      async get(name) {
        await recordDeleted(pool, [8, 9])
        await sweep()
        return objects.get(name)
      },
    })
    t.equal(await reader.readPage(8, keyOf('a')), null, 'does not exist')
    await content.storePages([page(10, 'a', 'lost for good')])
    const [name = ''] = (await named()).held.filter(name => name.includes(hashOf('lost for good')))
    await store.remove(name)
    await t.rejects(
      content.readPage(10, keyOf('a')),
      { name: 'BodyMissing', message: /is missing in the store of bodies/ },
      'or is reported as missing',
    )
    await recordDeleted(pool, [10])
    await settled(t, scene, 'after it')
  })

  await t.test('older rows, which contain their bytes', async t => {
    await openContent(pool).storePages([page(11, 'a', 'in its row'), page(11, 'b', 'also')])
    await content.storePages([page(12, 'a', 'in its row'), page(12, 'c', 'elsewhere')])
    t.equal(await textOf(content, 11, 'a'), 'in its row')
    t.equal(await textOf(content, 12, 'a'), 'in its row', 'and are not stored again')
    t.equal(await textOf(content, 12, 'c'), 'elsewhere')
    await openContent(pool).storePages([page(13, 'c', 'elsewhere')])
    t.equal(await textOf(content, 13, 'c'), 'elsewhere', 'nor is the reverse')
    await t.rejects(openContent(pool).readPage(12, keyOf('c')), /S3_ENDPOINT is not set/)
    await recordDeleted(pool, [11, 12, 13])
    await settled(t, scene, 'after it')
  })

  await t.test('random interleavings and failures', async t => {
    let fails = 0
    const shaky = within({
      async put(name, data) {
        const chance = Math.random()
        if (chance < 0.1) throw new Error('before it was put')
        await objects.put(name, data)
        if (chance < 0.2) throw new Error('after it was put')
      },
    })
    const insist = async (pages: StoredPage[]) => {
      for (let left = 50; left > 0; left--) {
        const failed = await shaky.storePages(pages).then(
          () => false,
          () => true,
        )
        if (!failed) return
        fails++
      }
      throw new Error('never stored')
    }
    const rounds = sized(10, 25)
    for (let round = 0; round < rounds; round++) {
      const doomed = 100 + 2 * round
      const text = `contended ${round % 3}`
      await insist([page(doomed, 'a', text), page(doomed, 'b', `own ${round}`)])
      await recordDeleted(pool, [doomed])
      await Promise.all([
        sweep(),
        pool.query('update content.object set sweep_at = now()').then(() => sweep()),
        insist([page(doomed + 1, 'a', text)]),
        insist([page(doomed + 1, 'c', `another ${round % 2}`), page(doomed, 'late', text)]),
      ])
    }
    t.comment(`${fails} batches failed for good, and were stored again`)
    await pool.query('update content.deletion set sweep_at = now()')
    await settled(t, scene, 'after all')
    for (let round = 0; round < rounds; round++) {
      t.equal(await textOf(content, 101 + 2 * round, 'a'), `contended ${round % 3}`)
      t.equal(await textOf(content, 101 + 2 * round, 'c'), `another ${round % 2}`)
    }
    await recordDeleted(
      pool,
      Array.from({ length: 300 }, (_, n) => n),
    )
    await settled(t, scene, 'after all pages are deleted')
    t.strictSame(await store.names(), [], 'no objects are left')
  })
})

test('Processes that are killed while bodies are stored and swept', async t => {
  const scene = await sceneOf(t)
  const { pool, content, named } = scene
  const database = pool.options.connectionString ?? ''
  const script = `
    const { default: pg } = await import('pg')
    const at = name => import(${JSON.stringify(new URL('.', import.meta.url).href)} + name)
    const [{ openBucket }, { openContent }, { sweepContent, recordDeleted }, { plainBody }, { hash, randomBytes }] =
      await Promise.all([at('s3.ts'), at('store.ts'), at('sweeping.ts'), at('body.ts'), import('node:crypto')])
    const pool = new pg.Pool({ connectionString: process.argv[1], max: 4 })
    const objects = openBucket(JSON.parse(process.argv[2]))
    const transaction = async work => {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const result = await work(client)
        await client.query('commit')
        return result
      } finally { client.release() }
    }
    const content = openContent(pool, { objects, transaction })
    const first = Number(process.argv[3])
    for (let runId = first; ; runId++) {
      const pages = Array.from({ length: 20 }, (_, n) => {
        const data = n < 10 ? Buffer.from('shared ' + n) : randomBytes(2000)
        return { runId, urlKey: String(n).padStart(11, '0'), body: plainBody(hash('sha256', data, 'buffer'), data),
          charset: null, contentType: null, metadata: '{}', edges: Buffer.alloc(0) }
      })
      await content.storePages(pages)
      if (runId % 2 === 1) await recordDeleted(pool, [runId])
      await sweepContent(transaction, new AbortController().signal, objects)
      process.stdout.write('.')
    }`
  const args = ['--input-type=module', '-e', script, database, JSON.stringify(bucketOf(store))]
  for (let kill = 0; kill < sized(3, 6); kill++) {
    const child = spawn(process.execPath, [...args, String(1_000 * (kill + 1))], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let rounds = 0
    child.stdout.on('data', (dots: Buffer) => (rounds += dots.length))
    await until(() => rounds >= 2)
    await new Promise(resolve => setTimeout(resolve, Math.random() * 300))
    child.kill('SIGKILL')
    await once(child, 'exit')
    const { held, announced } = await named()
    const known = new Set([...held, ...announced])
    const there = await store.names()
    t.strictSame(
      there.filter(name => !known.has(name)),
      [],
      `kill ${kill}: of every object that is there Postgres knows`,
    )
    const objects = new Set(there)
    t.strictSame(
      held.filter(name => !objects.has(name)),
      [],
      'and every body exists',
    )
  }
  await pool.query('update content.deletion set sweep_at = now()')
  await settled(t, scene, 'after other processes have swept')
  const { rows } = await pool.query<{ run_id: string; url_key: string }>(
    'select run_id, url_key from content.page',
  )
  t.ok(rows.length > 0)
  for (const { run_id, url_key } of rows)
    if ((await content.readPage(Number(run_id), url_key))?.body === null)
      t.fail(`${run_id} ${url_key} has no body`)
  await recordDeleted(pool, [...new Set(rows.map(({ run_id }) => Number(run_id)))])
  await settled(t, scene, 'after all pages are deleted')
})

test('While the store is unavailable', async t => {
  const scene = await sceneOf(t)
  const { content, objects, named } = scene
  const nc = {} as Parameters<typeof healthOf>[0]
  const watching = watchObjects({ bus: { nc }, objects, isSpare: false })
  t.teardown(() => watching[Symbol.asyncDispose]())
  await content.storePages([page(1, 'a', 'before')])
  await store.kill()
  await t.rejects(content.storePages([page(1, 'b', 'meanwhile')]), { name: 'BodiesAway' })
  const { announced } = await named()
  for (let n = 0; n < 3; n++)
    await t.rejects(content.storePages([page(1, 'b', 'meanwhile')]), { name: 'BodiesAway' })
  t.strictSame((await named()).announced, announced, 'no more names are announced')
  await t.rejects(content.readPage(1, keyOf('a')), { name: 'BodiesAway' })
  t.equal(await content.readPage(1, keyOf('b')), null, 'no page exists without its body')
  await until(() => healthOf(nc).faults.some(says => says.startsWith('bodies_away: ')), 30_000)

  await store.restart()
  await content.storePages([page(1, 'b', 'meanwhile')])
  t.equal(await textOf(content, 1, 'a'), 'before')
  t.equal(await textOf(content, 1, 'b'), 'meanwhile')
  await until(() => healthOf(nc).faults.length === 0, 30_000)
  await recordDeleted(scene.pool, [1])
  await settled(t, scene, 'afterwards')
})

const hashOf = (text: string): string => digest(Buffer.from(text)).toString('hex')
