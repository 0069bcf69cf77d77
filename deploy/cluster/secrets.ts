/**
 * Prints the secrets of an installation as Kubernetes Secrets:
 * - for each service its users of Postgres and NATS, which have only the needed rights;
 * - for the job that prepares the servers, the users that create the others;
 * - the configuration of NATS that admits these users;
 * - the operator's key, the key that signs evidence, and the key that encrypts secrets.
 * All are derived from three files in a folder, which are created if they are missing and must be kept. The key of a
 * bucket of bodies comes from the environment, if it is set.
 *
 * node deploy/cluster/secrets.ts FOLDER [--postgres URL] [--pooler URL] [--nats URL] [--redis URL]
 */
import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { services } from '@tidemark/contracts/services'
import { stringify } from 'yaml'
import { evidenceKey } from '../local/evidence-key.ts'
import { asUser, ownVariable } from '../local/own-connections.ts'
import { passwordsIn } from '../local/passwords.ts'
import { secretKeys } from '../local/secrets-key.ts'
import { authorization } from '../nats/permissions.ts'
import { administrator } from '../nats/users.ts'
import { roleOf, withRoles } from '../postgres/grants.ts'
import { type Manifest, metadata, namespace } from './manifest.ts'
import { egressPort, roles } from './roles.ts'

type Servers = {
  postgres: string
  /**
   * The URL by which services connect to Postgres; without it they connect directly, as the preparation always does.
   */
  pooler?: string
  nats: string
  redis: string
}

/**
 * Returns the Secrets of an installation.
 * @param dir folder of the three keys; created if it is missing
 */
export function secretsOf(
  dir: string,
  servers: Servers,
  report: (line: string) => void,
  { S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' }: NodeJS.ProcessEnv = {},
): Manifest[] {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  const passwordOf = passwordsIn(dir)
  const natsAs = (user: string) => asUser(servers.nats, user, passwordOf(`nats ${user}`))
  const postgresAs = (service: string) => {
    const role = roleOf(service as never)
    return asUser(servers.pooler || servers.postgres, role, passwordOf(`postgres ${role}`))
  }
  const egressPassword = passwordOf('egress')
  const ofService = services.map(service => {
    const connectsTo = new Set(roles.filter(({ runs }) => runs === service).flatMap(({ servers }) => servers))
    return secret(`tidemark-${service}`, {
      ...(connectsTo.has('postgres') && { DATABASE_URL: postgresAs(service) }),
      ...(connectsTo.has('nats') && { NATS_URL: natsAs(service) }),
      ...(connectsTo.has('redis') && { REDIS_URL: servers.redis }),
      ...(service === 'gateway' && { ADMIN_KEY: passwordOf('operator'), EVIDENCE_KEY: evidenceKey(dir, {}) }),
    })
  })
  return [
    ...ofService,
    secret('tidemark-prepare', {
      DATABASE_URL: servers.postgres,
      NATS_URL: natsAs(administrator),
      DATABASE_ROLES: 'made',
      ...Object.fromEntries(withRoles.map(name => [ownVariable('DATABASE_URL', name), postgresAs(name)])),
    }),
    secret('tidemark-keys', { ...secretKeys(dir, {}, report) }),
    secret('tidemark-bodies', { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }),
    secret('tidemark-egress', { EGRESS_PASSWORD: egressPassword }),
    secret('tidemark-browser', {
      EGRESS_PROXY: `http://browser:${egressPassword}@${egressHost}:${egressPort}`,
    }),
    secret('tidemark-nats', {
      'users.conf': authorization(user => passwordOf(`nats ${user}`), administrator),
    }),
    secret('tidemark-postgres', {
      POSTGRES_PASSWORD: decodeURIComponent(new URL(servers.postgres).password),
    }),
  ]
}

/** The fully qualified name of the proxy, because a fetcher resolves names without search domains. */
const egressHost = `egress.${namespace}.svc.cluster.local`

/** Returns a Secret with its namespace, because Tilt applies the printed manifests as they are. */
const secret = (name: string, stringData: Record<string, string>): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...metadata(name), namespace },
  stringData,
})

if (import.meta.main) print()

function print(): void {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      postgres: text(''),
      pooler: text(''),
      nats: text('nats://nats:4222'),
      redis: text('redis://redis:6379'),
    },
  })
  const [dir] = positionals
  if (dir === undefined) {
    process.stderr.write('The folder that keeps the keys is missing.\n')
    process.exitCode = 64
    return
  }
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  const postgres =
    values.postgres || `postgres://tidemark:${passwordsIn(dir)('postgres owner')}@postgres:5432/tidemark`
  const report = (line: string) => process.stderr.write(`${line}\n`)
  const manifests = secretsOf(dir, { ...values, postgres }, report, process.env)
  process.stdout.write(manifests.map(manifest => stringify(manifest)).join('---\n'))
}
