import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { services } from '@tidemark/contracts/services'
import { ordersPerMessage } from '@tidemark/contracts/work/fetch'
import { test } from 'tap'
import { parse } from 'yaml'
import { plansOf } from '../local/layout.ts'
import { redisLimits } from '../local/servers/redis.ts'
import { consumerSpecs } from '../nats/streams.ts'
import { withRoles } from '../postgres/grants.ts'
import {
  faultOf,
  filesIn,
  manifestsIn,
  namesInTiltfile,
  network,
  readKustomization,
  readManifest,
  syncedByTilt,
} from './cluster.scene.ts'
import { composeFile } from './compose.ts'
import { environmentOf } from './environment.ts'
import { image, type Manifest, namespace } from './manifest.ts'
import { egressPort, innerPort, type Role, roles } from './roles.ts'
import { secretsOf } from './secrets.ts'
import { clusterFiles, deployFolder } from './write.ts'

const folders = [
  'prepare',
  'base',
  'scaling',
  'production',
  'development',
  'bodies-in-s3',
  'servers-elsewhere',
]
const servers = { postgres: 5432, nats: 4222, redis: 6379 } as const
const settingsFiles: Record<string, [file: string, name: string]> = {
  projector: ['gateway', 'ProjectorSettings'],
  egress: ['fetcher', 'EgressSettings'],
}

test('The table of roles', async t => {
  await t.test('has every service, with the servers and secrets of its settings', async t => {
    t.strictSame([...new Set(roles.map(({ runs }) => runs))].sort(), [...services, 'egress'].sort())
    for (const role of roles) {
      const names = await settingsOf(role.runs)
      const speaksTo = { postgres: 'DATABASE_URL', nats: 'NATS_URL', redis: 'REDIS_URL' }
      for (const [server, setting] of Object.entries(speaksTo))
        t.equal(role.servers.includes(server as never), names.has(setting), `${role.name}: ${server}`)
      t.equal(role.seals, names.has('SECRETS_KEY'), `${role.name}: seals`)
      t.equal(role.hasBodies ?? false, names.has('S3_ENDPOINT'), `${role.name}: has bodies`)
      const known = new Set([
        ...names,
        'OTEL_SERVICE_NAME',
        'METRICS_PORT',
        'METRICS_HOST',
        'DRAIN_MS',
        'NODE_OPTIONS',
      ])
      for (const name of Object.keys(environmentOf(role))) t.ok(known.has(name), `${role.name}: ${name}`)
    }
  })

  await t.test('grows by queues that there are', async t => {
    for (const { name, scale } of roles) {
      if (scale.by !== 'queue') continue
      const found = consumerSpecs.some(
        ({ stream, durable_name }) => stream === scale.stream && durable_name === scale.consumer,
      )
      t.ok(found, `${name}: ${scale.stream} ${scale.consumer}`)
    }
  })

  await t.test('grows before those that there are at least have more than they do at once', async t => {
    const { scale } = roleNamed('fetcher-http')
    if (scale.by !== 'queue') return t.fail('by what waits')
    const maxOut = Number(await defaultOf('crawl-coordinator', 'ORDERS_OUT')) * coordinatorsAtLeast()
    const underWay = Number(await defaultOf('fetcher', 'FETCH_IN_FLIGHT'))
    const messages = maxOut / ordersPerMessage
    t.ok(
      Math.ceil(messages / scale.waiting) > scale.min,
      'more fetchers, where coordinators order all they may',
    )
    t.ok(scale.waiting * ordersPerMessage > underWay, 'and not while one has capacity')
  })

  await t.test('gives a coordinator the heap that the launcher gives it', async t => {
    const [plan] = plansOf({ processes: 'split', replicas: new Map() }).filter(
      ({ name }) => name === 'crawl-coordinator',
    )
    const coordinator = roleNamed('crawl-coordinator')
    const heap = environmentOf(coordinator).NODE_OPTIONS ?? ''
    t.ok(plan?.flags.includes(heap), heap)
    const [mebibytes = 0] = /\d+$/.exec(heap)?.map(Number) ?? []
    t.ok(
      coordinator.scale.by === 'processor' && (coordinator.scale.memory ?? Infinity) < mebibytes,
      'and more by it',
    )
  })

  await t.test('is what the files were made from', async t => {
    for (const [file, content] of clusterFiles())
      t.equal(fs.readFileSync(path.join(deployFolder, file), 'utf8'), content, `${file}: npm run docs`)
  })
})

test('The manifests', async t => {
  const all = folders.map(folder => [folder, manifestsIn(folder)] as const)

  await t.test('are what the schemas of Kubernetes and KEDA say', async t => {
    for (const [folder, manifests] of all)
      for (const manifest of manifests) t.equal(await faultOf(manifest), null, folder)
    const wrong = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x' },
      spec: { replicas: 'two' },
    }
    t.match(await faultOf(wrong), /replicas/, 'and the schemas do judge')
  })

  await t.test('are all named, and only once', async t => {
    for (const folder of folders) {
      const { resources, patches = [] } = readKustomization(folder)
      const named = [...resources.filter(name => name.endsWith('.yaml')), ...patches.map(({ path }) => path)]
      t.strictSame([...new Set(['kustomization.yaml', ...named])].sort(), filesIn(folder), folder)
    }
    for (const [folder, manifests] of all) {
      const places = manifests.map(({ kind, metadata: { name } }) => `${kind} ${name}`)
      t.equal(new Set(places).size, places.length, folder)
    }
    const workloads = workloadsIn(manifestsIn('development')).map(({ metadata }) => metadata.name)
    for (const { name } of readKustomization('development').replicas ?? [])
      t.ok(workloads.includes(name), name)
  })

  await t.test('name ports, secrets and targets that there are', async t => {
    const production = manifestsIn('production')
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'secrets-'))
    t.teardown(() => fs.rmSync(dir, { recursive: true }))
    const urls = { postgres: 'postgres://o:p@postgres/t', nats: 'nats://nats:4222', redis: 'redis://redis' }
    const secrets = secretsOf(dir, urls, () => {}).map(({ metadata }) => metadata.name)
    for (const workload of workloadsIn(production)) {
      const { containers } = podOf(workload)
      const [container] = containers
      const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]))
      for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe])
        t.equal(ports.get(probe.httpGet.port), innerPort)
      for (const { secretRef } of container.envFrom)
        if (secretRef) t.ok(secrets.includes(secretRef.name), `${workload.metadata.name}: ${secretRef.name}`)
      t.match(container.securityContext, { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    }
    for (const folder of ['prepare', 'production'])
      t.match(readKustomization(folder).images, [{ name: image }], `${folder}: a version can be named`)
    for (const { kind, metadata, spec } of production) {
      if (kind !== 'HorizontalPodAutoscaler' && kind !== 'ScaledObject') continue
      const target = (spec as { scaleTargetRef: { kind: string; name: string } }).scaleTargetRef
      const found = production.some(one => one.kind === target.kind && one.metadata.name === target.name)
      t.ok(found, `${kind} ${metadata.name}`)
    }
  })

  await t.test('say how many there are only where nothing else does', async t => {
    const scaled = manifestsIn('scaling').map(({ metadata }) => metadata.name)
    for (const { metadata, spec } of workloadsIn(manifestsIn('base')))
      t.equal('replicas' in (spec as object), !scaled.includes(metadata.name), metadata.name)
    const { replicas = [] } = readKustomization('development')
    t.strictSame(
      replicas,
      roles.map(({ name }) => ({ name, count: 1 })),
      'in development there is one of each',
    )
  })

  await t.test('give each pod time to end, and a browser a parent that reaps its processes', async t => {
    for (const workload of workloadsIn(manifestsIn('base'))) {
      const { terminationGracePeriodSeconds, shareProcessNamespace = false } = podOf(workload)
      const role = roleNamed(workload.metadata.name)
      t.ok(terminationGracePeriodSeconds >= minGrace(role), role.name)
      t.equal(shareProcessNamespace, role.hasBrowser ?? false, `${role.name}: a first process of its own`)
    }
    const longest = Number(await defaultOf('fetcher', 'RENDER_TIMEOUT_MS'))
    t.ok(drainOf(roleNamed('egress')) > longest, 'no tunnel is cut while a page is rendered')
  })

  await t.test('give NATS the options of compose, and restrict its clients', async t => {
    const told = fs.readFileSync(path.join(deployFolder, 'nats/nats.conf'), 'utf8').replace(/^ *#.*\n/gm, '')
    const settings = manifestsIn('development').find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'nats',
    )
    const { data } = settings as unknown as { data: Strings }
    t.equal(data['nats.conf'], `${told}include /etc/nats-users/users.conf\n`)
    const [, monitoring] = /^http: (\d+)$/m.exec(told) ?? []
    for (const text of ['compose.yaml', 'kubernetes/scaling/fetcher-http.yaml', '../docs/operations.md'])
      t.match(
        fs.readFileSync(path.join(deployFolder, text), 'utf8'),
        `:${monitoring}`,
        `${text} reads its monitoring port`,
      )
  })

  await t.test('let each role reach its servers, and nothing else', async t => {
    const net = network(manifestsIn('production'))
    for (const { name, servers: own, reaches } of roles) {
      t.ok(net.isWalled(name), name)
      for (const [server, port] of Object.entries(servers))
        t.equal(net.lets(name, server, port), own.includes(server as never), `${name} to ${server}`)
      t.equal(net.lets(name, 'egress', egressPort), name === 'fetcher-browser', `${name} to the egress proxy`)
      t.equal(net.leaves(name), reaches === 'public', `${name} to outside`)
    }
    const bodies = manifestsIn('bodies-in-s3')
    const beside = network(bodies)
    for (const { name, hasBodies } of roles) {
      t.equal(beside.isWalled(name), hasBodies ?? false, name)
      if (hasBodies) t.ok(beside.leaves(name), `${name} to a store of bodies outside`)
    }
    t.strictSame(
      bodies.map(({ metadata }) => metadata.name),
      ['extractor-bodies', 'gateway-bodies'],
      'by a policy of its own, beside the other',
    )
    const [elsewhere] = manifestsIn('servers-elsewhere')
    t.match(elsewhere?.spec, {
      podSelector: {
        matchExpressions: [
          {
            key: 'app.kubernetes.io/name',
            operator: 'In',
            values: roles.filter(({ servers }) => servers.includes('postgres')).map(({ name }) => name),
          },
        ],
      },
      policyTypes: ['Egress'],
      egress: [{ to: [{ ipBlock: {} }], ports: [{ port: servers.postgres }] }],
    })
    t.notOk(
      net.leaves('fetcher-browser'),
      'a container with a browser connects through the egress proxy only',
    )
    t.ok(net.lets('stranger', 'gateway', 8080))
    t.notOk(net.lets('stranger', 'egress', egressPort))
  })
})

test('The commands of docs/deploying.md', async t => {
  const text = fs.readFileSync(path.join(deployFolder, '../docs/deploying.md'), 'utf8')
  const [, commands = ''] = /^## Kubernetes$.+?^```sh$(.+?)^```$/ms.exec(text) ?? []
  await t.test('give NATS the permissions of a version before its services start', async t => {
    const order = [
      '# For each version',
      'npm run --silent secrets',
      '--signal reload',
      'apply -k deploy/kubernetes/prepare',
    ]
    const places = order.map(part => commands.indexOf(part))
    t.ok(
      places.every(place => place >= 0),
      `each is there: ${places}`,
    )
    t.strictSame(
      places,
      places.toSorted((a, b) => a - b),
      order.join(', then '),
    )
  })

  await t.test('check a backup before they delete the data of Docker', async t => {
    const deletion = text.split('docker compose down --volumes')
    t.equal(deletion.length, 2)
    t.match(deletion[0], /as_admin restore --from \S+ --check &&\s+$/)
  })

  await t.test('replace each role after those that must understand it', async t => {
    const groups = [...commands.matchAll(/app\.kubernetes\.io\/name in \(([\w,-]+)\)/g)].map(
      ([, names = '']) => names.split(','),
    )
    t.strictSame(groups, [
      ['webhook', 'extractor'],
      ['usage-ledger', 'projector'],
      ['fetcher-http', 'fetcher-browser', 'crawl-coordinator'],
      ['gateway'],
    ])
    const production = manifestsIn('production')
    for (const name of groups.flat())
      t.ok(
        production.some(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === name),
        name,
      )
    const workloads = production
      .filter(({ spec }) => Reflect.has(Object(spec), 'template'))
      .map(({ kind }) => kind)
    const awaited = [...commands.matchAll(/rollout status -n tidemark (\S+)/g)].map(([, kinds]) => kinds)
    t.ok(awaited.length > 0)
    for (const kinds of awaited)
      t.strictSame(kinds?.split(',').sort(), [...new Set(workloads)].map(kind => kind.toLowerCase()).sort())
  })
})

test('Secrets', async t => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'secrets-'))
  t.teardown(() => fs.rmSync(dir, { recursive: true }))
  const urls = {
    postgres: 'postgres://owner:pass%20word@db.example:5432/tidemark',
    nats: 'nats://nats.example:4222',
    redis: 'redis://redis.example:6379',
  }
  const once = secretsOf(dir, urls, () => {})
  t.strictSame(
    secretsOf(dir, urls, () => {}),
    once,
    'are the same each time, from the keys of the folder',
  )
  const data = new Map(once.map(({ metadata, stringData }) => [metadata.name, stringData as Strings]))
  for (const service of services) {
    const { DATABASE_URL, NATS_URL = '' } = data.get(`tidemark-${service}`) ?? {}
    t.equal(new URL(NATS_URL).username, service)
    t.equal(DATABASE_URL !== undefined, withRoles.includes(service), `${service} has a role`)
    const prepared =
      data.get('tidemark-prepare')?.[`DATABASE_URL_${service.toUpperCase().replaceAll('-', '_')}`]
    t.equal(prepared, DATABASE_URL, 'and the job makes it')
    const password = new URL(NATS_URL).password
    t.match(data.get('tidemark-nats')?.['users.conf'], `user: "${service}", password: "${password}"`)
  }
  const passwords = [...data.values()].flatMap(values =>
    Object.values(values).filter(text => /^[0-9a-f]{64}$/.test(text)),
  )
  t.equal(new Set(passwords).size, passwords.length, 'no password is used for two things')
  const withOperator = [...data].filter(([, values]) => 'ADMIN_KEY' in values).map(([name]) => name)
  t.strictSame(withOperator, ['tidemark-gateway'], "only the gateway has the operator's key")
  t.equal(data.get('tidemark-postgres')?.POSTGRES_PASSWORD, 'pass word')
  t.ok(
    once.every(({ metadata }) => metadata.namespace === namespace),
    'and each lies where the pods do',
  )

  const { hostname, port } = new URL(data.get('tidemark-browser')?.EGRESS_PROXY ?? '')
  t.equal(hostname, `egress.${namespace}.svc.cluster.local`, 'a fetcher resolves complete names only')
  const door = manifestsIn('production').find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === 'egress',
  )
  t.match(door?.spec, { ports: [{ port: Number(port) }] })

  const pooler = 'postgres://pooler.example:6432/tidemark?sslmode=verify-full'
  const pooled = new Map(
    secretsOf(dir, { ...urls, pooler }, () => {}).map(({ metadata, stringData }) => [
      metadata.name,
      stringData as Strings,
    ]),
  )
  for (const service of withRoles) {
    const url = new URL(pooled.get(`tidemark-${service}`)?.DATABASE_URL ?? '')
    const straight = new URL(data.get(`tidemark-${service}`)?.DATABASE_URL ?? '')
    t.strictSame([url.host, url.search], ['pooler.example:6432', '?sslmode=verify-full'], service)
    t.strictSame([url.username, url.password], [straight.username, straight.password])
  }
  t.equal(pooled.get('tidemark-prepare')?.DATABASE_URL, urls.postgres, 'the preparation connects directly')
  const key = { S3_ACCESS_KEY_ID: 'name', S3_SECRET_ACCESS_KEY: 'secret' }
  const withBodies = secretsOf(dir, urls, () => {}, key)
  t.strictSame(
    withBodies.find(({ metadata }) => metadata.name === 'tidemark-bodies')?.stringData,
    key,
    'and the key to the bucket comes from outside',
  )
})

test('Secrets that lie in the checkout come neither into the repository nor into an image', async t => {
  const root = path.join(deployFolder, '..')
  const files = [
    'keys/secrets.key',
    'secrets.yaml',
    '.env',
    'deploy/.env',
    'deploy/settings.env',
    'deploy/auth-billing.env',
    'deploy/secrets.yaml',
  ]
  const ignored = execFileSync('git', ['check-ignore', '--no-index', ...files], {
    cwd: root,
    encoding: 'utf8',
  })
  t.strictSame(ignored.trim().split('\n'), files)
  const patterns = fs.readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n')
  for (const file of files) {
    const above = file.split('/').map((_, n, parts) => parts.slice(0, n + 1).join('/'))
    const isLeftOut = patterns.some(pattern => above.some(one => path.matchesGlob(one, pattern)))
    t.ok(isLeftOut, file)
  }
})

test('Redis drops only keys that expire, wherever it runs', async t => {
  const { command } = composeFile().services.redis
  const inCluster = fs.readFileSync(path.join(deployFolder, 'kubernetes/development/redis.yaml'), 'utf8')
  const [container] = parse(inCluster.split('---')[0] ?? '').spec.template.spec.containers
  t.strictSame(command, redisLimits)
  t.strictSame(container.args, redisLimits)
})

test('compose.yaml', async t => {
  const { services: made, volumes } = composeFile()
  const read = parse(fs.readFileSync(path.join(deployFolder, 'compose.yaml'), 'utf8')) as { services: object }
  t.strictSame(
    Object.keys(read.services).sort(),
    [...Object.keys(servers), 'prepare', 'admin', ...roles.map(({ name }) => name)].sort(),
  )
  const { admin } = made as unknown as { admin: Container & { profiles: string[] } }
  t.notOk('mem_limit' in admin || 'NODE_OPTIONS' in admin.environment, 'admin has the memory of the machine')
  t.strictSame(admin.profiles, ['admin'], 'and is not started with the roles')
  for (const [name, service] of Object.entries(made) as [string, Container][]) {
    for (const other of Object.keys(service.depends_on ?? {})) t.ok(other in made, `${name} after ${other}`)
    t.match(
      service.logging,
      { options: { 'max-size': /^\d+m$/, 'max-file': /^\d+$/ } },
      `${name}: bounded logs`,
    )
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      const isThere = from.startsWith('.') ? fs.existsSync(path.join(deployFolder, from)) : from in volumes
      t.ok(isThere, `${name}: ${volume}`)
    }
  }
  for (const role of roles) {
    const { stop_grace_period, init = false } =
      (made as unknown as Record<string, Container>)[role.name] ?? {}
    t.ok(Number.parseInt(stop_grace_period ?? '', 10) >= minGrace(role), `${role.name}: has the time to end`)
    t.equal(init, role.hasBrowser ?? false, `${role.name}: a first process of its own`)
  }
  for (const [name, service] of Object.entries(made) as [string, Container][]) {
    const { environment, env_file } = service
    if (service.image !== image) continue
    t.strictSame(
      env_file,
      ['settings.env', `${name}.env`].map(path => ({ path, required: false })),
      `${name}: takes further settings from files that need not exist`,
    )
    const keys = ['SECRETS_KEY', 'SECRETS_KEYS_OLD'].map(key => key in environment)
    t.equal(keys[1], keys[0], `${name}: decrypts with former keys`)
  }
})

test('The Tiltfile starts what the manifests of development have', async t => {
  const workloads = [
    ...workloadsIn(manifestsIn('development')).map(({ metadata }) => metadata.name),
    'prepare',
  ]
  t.strictSame(namesInTiltfile().sort(), workloads.sort())
})

test('Tilt restarts the roles after a sync, and the job ends', async t => {
  const patches = readKustomization('development').patches ?? []
  const watching = patches.filter(({ path }) => path === 'writable.yaml')
  t.strictSame(watching.map(({ target }) => target?.kind).sort(), ['Deployment', 'StatefulSet'])
  const patch = readManifest('development/writable.yaml') as unknown as { path: string; value: unknown }[]
  const command = patch.find(({ path }) => path === '/spec/template/spec/containers/0/command')?.value
  const { folders, hasEntrypoint } = syncedByTilt()
  t.strictSame(command, ['node', ...folders.map(folder => `--watch-path=${folder}`), 'deploy/run.ts'])
  t.notOk(hasEntrypoint, 'which the job would have as well')
  const { spec } = readManifest('development/at-once.yaml') as Manifest
  t.match(spec, {
    template: { spec: { containers: [{ name: 'egress', env: [{ name: 'DRAIN_MS', value: '0' }] }] } },
  })
})

type Strings = Record<string, string>
type Container = {
  image: string
  environment: Strings
  env_file?: object[]
  logging?: object
  depends_on?: object
  volumes?: string[]
  stop_grace_period?: string
  init?: boolean
}
type Probe = { httpGet: { port: string } }
type Pod = {
  terminationGracePeriodSeconds: number
  shareProcessNamespace?: boolean
  containers: [
    {
      ports: { name: string; containerPort: number }[]
      envFrom: { secretRef?: { name: string } }[]
      securityContext: object
      startupProbe: Probe
      readinessProbe: Probe
      livenessProbe: Probe
    },
  ]
}

const workloadsIn = (manifests: readonly Manifest[]): Manifest[] =>
  manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
const drainOf = ({ env }: Role): number => Number(env.DRAIN_MS ?? 0)
/** Each process ends within ten seconds after it has served on. */
const minGrace = (role: Role): number => drainOf(role) / 1000 + 10
const podOf = ({ spec }: Manifest): Pod => (spec as { template: { spec: Pod } }).template.spec

function roleNamed(wanted: string): Role {
  const role = roles.find(({ name }) => name === wanted)
  if (role === undefined) throw new Error(`no role ${wanted}`)
  return role
}

function coordinatorsAtLeast(): number {
  const { scale } = roleNamed('crawl-coordinator')
  return scale.by === 'standby' ? scale.replicas : scale.min
}

async function defaultOf(service: string, setting: string): Promise<unknown> {
  const { Settings } = await import(`@tidemark/${service}/settings`)
  return Settings.properties[setting].default
}

async function settingsOf(runs: string): Promise<Set<string>> {
  const [folder, name] = settingsFiles[runs] ?? [runs, 'Settings']
  const { [name]: schema } = await import(`@tidemark/${folder}/settings`)
  return new Set(Object.keys(schema.properties))
}
