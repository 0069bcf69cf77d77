/**
 * Generates `deploy/compose.yaml`, which runs all roles on one machine with Docker, to try the image. Its services
 * share one user of each server, on a private network.
 */
import { objectStoreSettings } from '@tidemark/content/settings'
import { redisLimits } from '../local/servers/redis.ts'
import { environmentOf, graceSecondsOf } from './environment.ts'
import { apiPort, innerPort, type Role, roles } from './roles.ts'

const urls = {
  postgres: { DATABASE_URL: 'postgres://tidemark:$' + '{POSTGRES_PASSWORD}@postgres:5432/tidemark' },
  nats: { NATS_URL: 'nats://nats:4222' },
  redis: { REDIS_URL: 'redis://redis:6379' },
}
/** Returns a required variable. Compose prints `how` if it is not set. */
const needed = (name: string, how: string) => `$\{${name}:?${how}}`
/** Returns variables that are passed on from the environment of compose; an unset one is empty. */
const passed = (...names: string[]) => Object.fromEntries(names.map(name => [name, `$\{${name}:-}`]))
/** The key that encrypts, and its former values, without which older data cannot be decrypted. */
const secretsKeys = {
  SECRETS_KEY: needed('SECRETS_KEY', 'set it to what `openssl rand -hex 32` prints, and keep it'),
  ...passed('SECRETS_KEYS_OLD'),
}
const egressPassword = needed('EGRESS_PASSWORD', 'set it to what `openssl rand -hex 16` prints')

const confined = {
  user: '10001:10001',
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
}
/** Returns the files of further settings: of all services, and of one. The variables of `environment` take precedence. */
const settingsFiles = (name: string) =>
  ['settings.env', `${name}.env`].map(path => ({ path, required: false }))
/** Bounds the logs of a container, which the default driver never rotates. */
const logging = { driver: 'local', options: { 'max-size': '64m', 'max-file': '2' } }
const built = { image: 'tidemark', build: { context: '..', dockerfile: 'deploy/Dockerfile' } }

const bodies = passed('BODIES', ...Object.keys(objectStoreSettings))

/**
 * Runs commands of an administrator. `docker compose up` leaves it out. It has no limit of memory, because `verify`
 * keeps every request that was billed.
 */
const admin = {
  image: built.image,
  ...confined,
  profiles: ['admin'],
  command: ['admin'],
  env_file: settingsFiles('admin'),
  environment: { ...urls.postgres, ...urls.nats, ...secretsKeys, ...bodies },
  tmpfs: ['/tmp'],
  logging,
}

export const composeFile = () => ({
  name: 'tidemark',
  services: {
    postgres: {
      image: 'postgres:18',
      environment: {
        POSTGRES_USER: 'tidemark',
        POSTGRES_DB: 'tidemark',
        POSTGRES_PASSWORD: needed('POSTGRES_PASSWORD', 'set it to what `openssl rand -hex 16` prints'),
      },
      volumes: ['postgres:/var/lib/postgresql'],
      shm_size: '512m', // parallel queries share memory there, and Docker's 64 MB suffice for two
      healthcheck: healthy('pg_isready -U tidemark'),
      logging,
      restart: 'unless-stopped',
    },
    nats: {
      image: 'nats:2.12-alpine',
      command: ['-c', '/etc/nats/nats.conf'],
      volumes: ['./nats/nats.conf:/etc/nats/nats.conf:ro', 'nats:/data'],
      healthcheck: healthy('wget -q -O - http://127.0.0.1:8222/healthz'),
      logging,
      restart: 'unless-stopped',
    },
    redis: {
      image: 'redis:7-alpine',
      command: redisLimits,
      healthcheck: healthy('redis-cli ping'),
      logging,
      restart: 'unless-stopped',
    },
    prepare: {
      ...built,
      ...confined,
      command: ['prepare'],
      env_file: settingsFiles('prepare'),
      environment: { ...urls.postgres, ...urls.nats },
      tmpfs: ['/tmp'],
      depends_on: after('postgres', 'nats'),
      logging,
      restart: 'on-failure',
    },
    ...Object.fromEntries(roles.map(role => [role.name, container(role)])),
    admin,
  },
  volumes: { postgres: {}, nats: {} },
})

const healthy = (test: string) => ({ test: ['CMD-SHELL', test], interval: '2s', timeout: '3s', retries: 30 })
const after = (...names: string[]) =>
  Object.fromEntries(names.map(name => [name, { condition: 'service_healthy' }]))

function container(role: Role) {
  const { runs, servers, seals, hasBodies, reaches, memory, ports, hasBrowser, name } = role
  const probe = `fetch('http://127.0.0.1:${innerPort}/readyz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))`
  return {
    image: built.image,
    ...confined,
    ...(hasBrowser && {
      // Chromium creates its own, stricter sandbox. The default profile forbids the system calls for that.
      security_opt: [...confined.security_opt, 'seccomp=unconfined'],
      shm_size: '512m',
      // Reaps orphaned processes of a browser, which Node would not do as the first process.
      init: true,
    }),
    command: [runs],
    env_file: settingsFiles(name),
    environment: {
      ...Object.assign({}, ...servers.map(server => urls[server])),
      ...environmentOf(role),
      INSTANCE: name,
      ...(seals && secretsKeys),
      ...(runs === 'gateway' && passed('ADMIN_KEY', 'EVIDENCE_KEY', 'EVIDENCE_KEYS_OLD', 'TRACES_URL')),
      ...((runs === 'gateway' || runs === 'extractor') && passed('EVIDENCE_TSA_URL')),
      ...(hasBodies && bodies),
      ...(runs === 'egress' && { EGRESS_PASSWORD: egressPassword }),
      ...(reaches === 'egress' && { EGRESS_PROXY: `http://browser:${egressPassword}@egress:3128` }),
    },
    ...(ports && name === 'gateway' && { ports: [`127.0.0.1:${apiPort}:${apiPort}`] }),
    tmpfs: ['/tmp'],
    mem_limit: `${memory[1]}m`,
    stop_grace_period: `${graceSecondsOf(role)}s`,
    healthcheck: { test: ['CMD', 'node', '-e', probe], interval: '10s', timeout: '5s', start_period: '60s' },
    depends_on: {
      ...(servers.length > 0 && { prepare: { condition: 'service_completed_successfully' } }),
      ...(servers.includes('redis') && after('redis')),
    },
    logging,
    restart: 'unless-stopped',
  }
}
