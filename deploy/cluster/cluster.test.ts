import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { services } from '@tidemark/contracts/services'
import { test } from 'tap'
import { parse } from 'yaml'
import { consumerSpecs } from '../nats/streams.ts'
import { withRoles } from '../postgres/grants.ts'
import {
  faultOf,
  filesIn,
  manifestsIn,
  namesInTiltfile,
  network,
  readKustomization,
} from './cluster.scene.ts'
import { compose } from './compose.ts'
import { environmentOf } from './environment.ts'
import type { Manifest } from './manifest.ts'
import { egressPort, innerPort, roles } from './roles.ts'
import { secretsOf } from './secrets.ts'
import { clusterFiles, deployFolder } from './write.ts'

const folders = ['prepare', 'base', 'scaling', 'production', 'development', 'bodies-in-s3']
const servers = { postgres: 5432, nats: 4222, redis: 6379 } as const
const settingsFiles: Record<string, [file: string, name: string]> = {
  projector: ['gateway', 'ProjectorSettings'],
  egress: ['fetcher', 'EgressSettings'],
}

test('The table of roles', async t => {
  await t.test('has every service, with the servers and secrets that its settings ask for', async t => {
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
    for (const { kind, metadata, spec } of production) {
      if (kind !== 'HorizontalPodAutoscaler' && kind !== 'ScaledObject') continue
      const target = (spec as { scaleTargetRef: { kind: string; name: string } }).scaleTargetRef
      const found = production.some(one => one.kind === target.kind && one.metadata.name === target.name)
      t.ok(found, `${kind} ${metadata.name}`)
    }
  })

  await t.test('tell NATS what compose tells it, and who may come in', async t => {
    const told = fs.readFileSync(path.join(deployFolder, 'nats/nats.conf'), 'utf8').replace(/^ *#.*\n/gm, '')
    const settings = manifestsIn('development').find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'nats',
    )
    const { data } = settings as unknown as { data: Strings }
    t.equal(data['nats.conf'], `${told}include /etc/nats-users/users.conf\n`)
  })

  await t.test('let each role speak to its servers, and nobody to anybody else', async t => {
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
    t.notOk(net.leaves('fetcher-browser'), 'what holds a browser leaves by the egress proxy alone')
    t.ok(net.lets('stranger', 'gateway', 8080))
    t.notOk(net.lets('stranger', 'egress', egressPort))
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
    'are the same each time, from the two keys of the folder',
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
  t.equal(data.get('tidemark-postgres')?.POSTGRES_PASSWORD, 'pass word')
  const key = { S3_ACCESS_KEY_ID: 'name', S3_SECRET_ACCESS_KEY: 'secret' }
  const withBodies = secretsOf(dir, urls, () => {}, key)
  t.strictSame(
    withBodies.find(({ metadata }) => metadata.name === 'tidemark-bodies')?.stringData,
    key,
    'and the key to the bucket comes from outside',
  )
})

test('compose.yaml', async t => {
  const { services: made, volumes } = compose()
  const read = parse(fs.readFileSync(path.join(deployFolder, 'compose.yaml'), 'utf8')) as { services: object }
  t.strictSame(
    Object.keys(read.services).sort(),
    [...Object.keys(servers), 'prepare', ...roles.map(({ name }) => name)].sort(),
  )
  for (const [name, service] of Object.entries(made) as [string, Container][]) {
    for (const other of Object.keys(service.depends_on ?? {})) t.ok(other in made, `${name} after ${other}`)
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      const isThere = from.startsWith('.') ? fs.existsSync(path.join(deployFolder, from)) : from in volumes
      t.ok(isThere, `${name}: ${volume}`)
    }
  }
})

test('The Tiltfile starts what the manifests of development have', async t => {
  const workloads = [
    ...workloadsIn(manifestsIn('development')).map(({ metadata }) => metadata.name),
    'prepare',
  ]
  t.strictSame(namesInTiltfile().sort(), workloads.sort())
})

type Strings = Record<string, string>
type Container = { depends_on?: object; volumes?: string[] }
type Probe = { httpGet: { port: string } }
type Pod = {
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
const podOf = ({ spec }: Manifest): Pod => (spec as { template: { spec: Pod } }).template.spec

async function settingsOf(runs: string): Promise<Set<string>> {
  const [folder, name] = settingsFiles[runs] ?? [runs, 'Settings']
  const { [name]: schema } = await import(`@tidemark/${folder}/settings`)
  return new Set(Object.keys(schema.properties))
}
