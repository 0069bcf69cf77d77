/** The image without Docker: its steps in a fresh folder, and every role started from there by its entry point. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { freePorts } from '@tidemark/config/free-ports'
import { freshDatabase, throwawayNats, throwawayRedis } from '@tidemark/testing/servers'
import { until } from '@tidemark/testing/until'
import { test } from 'tap'
import { environmentOf } from './cluster/environment.ts'
import { roles } from './cluster/roles.ts'
import { takeSteps } from './image.scene.ts'
import { authorization } from './nats/permissions.ts'
import { administrator } from './nats/users.ts'

const maxMs = 240_000

test('The image', { timeout: maxMs }, async t => {
  await using stack = new AsyncDisposableStack()
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'tidemark-image-'))
  stack.defer(() => fs.rm(folder, { recursive: true, force: true }))
  await fs.chmod(folder, 0o755)
  const passwordOf = (user: string) => `password of ${user}`
  const login = { user: administrator, pass: passwordOf(administrator) }
  const nats = stack.adopt(await throwawayNats(authorization(passwordOf, administrator), login), nats =>
    nats.stop(),
  )
  const redis = stack.adopt(await throwawayRedis(), redis => redis.stop())
  const database = stack.adopt(await freshDatabase(), database => database.drop())
  const children: ChildProcess[] = []
  stack.defer(async () => {
    for (const child of children) child.kill('SIGKILL')
  })

  const image = await takeSteps(folder)
  t.match(image.leftOut, [/^apt-get/], 'all but the packages of Debian')
  t.match(
    image.leftOut[0],
    / ca-certificates /,
    'without which the client that greets like a browser trusts no site',
  )
  const said: string[] = []
  // In a container the cache is in /tmp, which is the container's own.
  const cache = path.join(folder, 'cache')
  await fs.mkdir(cache, { mode: 0o777 })
  await fs.chmod(cache, 0o777)

  function start(name: string, env: NodeJS.ProcessEnv): ChildProcess {
    const [node = '', ...args] = image.entrypoint
    const given = { PATH: process.env.PATH, ...image.env, NODE_COMPILE_CACHE: cache, ...env }
    // As in a container, no variable comes from outside; tap would make every process write beside the checkout.
    const words = Object.entries(given).map(([name, value]) => `${name}=${value}`)
    const program = node === 'node' ? process.execPath : node
    const child = spawn('env', ['-i', ...words, program, ...args, name], {
      cwd: image.folder,
      ...(process.getuid?.() === 0 && { uid: image.user, gid: image.user }),
    })
    children.push(child)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', data => said.push(`${name}: ${String(data)}`))
    return child
  }

  await t.test('knows what it can be', async t => {
    const [code] = await once(start('nothing', {}), 'exit')
    t.equal(code, 64)
    t.match(said.join(''), /one of gateway, projector, .* egress, prepare, admin; it is "nothing"/)
  })

  const asAdministrator = new URL(nats.url)
  Object.assign(asAdministrator, { username: administrator, password: login.pass })
  await t.test('readies the servers, twice', async t => {
    const env = { DATABASE_URL: database.url, NATS_URL: asAdministrator.href }
    for (const _ of [1, 2]) {
      const [code] = await once(start('prepare', env), 'exit')
      t.equal(code, 0, said.join(''))
    }
  })

  await t.test('is every role, each as its own user of NATS, and they are ready', async t => {
    const ports = await freePorts(roles.length + 2)
    const [api = 0, egress = 0, ...inner] = ports
    for (const [n, role] of roles.entries()) {
      const own = new URL(nats.url)
      Object.assign(own, { username: role.runs, password: passwordOf(role.runs) })
      start(role.runs, {
        ...environmentOf(role),
        ...(role.servers.includes('nats') && { NATS_URL: own.href }),
        ...(role.servers.includes('postgres') && { DATABASE_URL: database.url }),
        ...(role.servers.includes('redis') && { REDIS_URL: redis.url }),
        ...(role.seals && { SECRETS_KEY: '0'.repeat(64) }),
        ...(role.runs === 'egress' && {
          EGRESS_PASSWORD: 'a long enough password',
          EGRESS_PORT: String(egress),
        }),
        ...(role.reaches === 'egress' && {
          EGRESS_PROXY: `http://browser:a%20long%20enough%20password@127.0.0.1:${egress}`,
        }),
        ...(role.runs === 'gateway' && { HOST: '127.0.0.1', PORT: String(api) }),
        DRAIN_MS: '0',
        INSTANCE: role.name,
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: String(inner[n]),
      })
    }
    const statusOf = (url: string) =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      )
    const probes = inner.map(port => `http://127.0.0.1:${port}/readyz`)
    await until(async () => {
      const dead = children.slice(3).find(({ exitCode }) => exitCode !== null)
      if (dead) throw new Error(`${dead.spawnargs.at(-1)} has ended: ${said.slice(-5).join('')}`)
      return (await Promise.all(probes.map(statusOf))).every(status => status === 200)
    }, 90_000)
    await until(async () => (await statusOf(`http://127.0.0.1:${api}/v1/ready`)) === 200)
    t.pass('every probe answers 200, and /v1/ready')
    for (const path of ['/llms.txt', '/docs/quickstart.md'])
      t.equal(await statusOf(`http://127.0.0.1:${api}${path}`), 200, `the image has ${path}`)
  })

  await t.test('ends on SIGTERM', async t => {
    const running = children.filter(({ exitCode }) => exitCode === null)
    t.equal(running.length, roles.length)
    const ends = running.map(child => once(child, 'exit'))
    for (const child of running) child.kill('SIGTERM')
    t.strictSame([...new Set((await Promise.all(ends)).map(([code]) => code))], [0])
  })
})
