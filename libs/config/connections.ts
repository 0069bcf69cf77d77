/** The settings that every service shares: the addresses of its servers, and its name. */
import os from 'node:os'
import { Type } from 'typebox'
import { nameServerFault, publicUrlFault, rangeFault } from './addresses.ts'

export const connectionSettings = {
  NATS_URL: Type.String({
    description: 'The NATS server, as nats://host:port. Separate the servers of a cluster by commas.',
  }),
  INSTANCE: Type.String({
    default: '',
    whenUnset: () => `${os.hostname()}-${process.pid}`,
    description:
      'Name of this process, unique within its service. A restarted process with the same name takes its leases at once. The launcher sets it. Default: host name and process id.',
  }),
}

export const databaseSettings = {
  DATABASE_URL: Type.String({
    description:
      'The Postgres server, as postgres://user@host:port/database. `?sslmode=verify-full` requires TLS with a certificate for the host name, and `&sslrootcert=FILE` names your own authority. `require` has the same meaning, and `no-verify` accepts any certificate.',
  }),
}

export const redisSettings = {
  REDIS_URL: Type.String({ description: 'The Redis server, as redis://host:port.' }),
}

export const egressSettings = {
  EGRESS_ALLOW: Type.Array(Type.String(), {
    default: [],
    check: rangeFault,
    description:
      'CIDRs of non-public addresses that outgoing requests may reach. Adds to the checks and replaces none.',
  }),
  DNS_SERVERS: Type.Array(Type.String(), {
    default: [],
    check: nameServerFault,
    description:
      'Addresses of the name servers, as `9.9.9.9`, `10.0.0.2:5353` or `[2620:fe::fe]:53`. Default: those of the system. Names in the hosts file are resolved without them. All other names are resolved as written, without a search list.',
  }),
  SAMPLE_ORIGIN: Type.String({
    default: '',
    description:
      'address:port of the sample site, which the first start may crawl. Only the launcher sets it.',
  }),
}

export const publicAddressSettings = {
  PUBLIC_URL: Type.String({
    default: '',
    check: publicUrlFault,
    description:
      'Public address of this installation, such as `https://api.example.com`: the base of checkout links and of links in mails, and the default of BOT_DIRECTORY_URL. Default: the address that the gateway listens on.',
  }),
}

export const secretsSettings = {
  SECRETS_KEY: Type.String({
    pattern: '^[0-9a-fA-F]{64}$',
    description:
      'Key that encrypts headers, cookies and webhook secrets: 32 bytes in hex. The launcher creates and stores one.',
  }),
  SECRETS_KEYS_OLD: Type.Array(Type.String({ pattern: '^[0-9a-fA-F]{64}$' }), {
    default: [],
    description:
      'Former values of SECRETS_KEY, newest first. They decrypt older data. [Replace the key](operating.md#replace-the-key).',
  }),
}
