/**
 * Generates the network policy of each role. The policies are a second barrier, because processes also check every
 * address that they connect to.
 */
import { type Manifest, metadata, selector } from './manifest.ts'
import { egressPort, innerPort, type Role } from './roles.ts'

/** Addresses that are not public (RFC 6890), which external traffic must not reach. */
const notPublic = {
  v4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  v6: ['::1/128', '64:ff9b:1::/48', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
}

const serverPorts = { postgres: 5432, nats: 4222, redis: 6379 } as const
const tcp = (...ports: number[]) => ports.map(port => ({ protocol: 'TCP', port }))
const podsOf = (name: string) => ({ podSelector: selector(name) })

const outside = [
  { ipBlock: { cidr: '0.0.0.0/0', except: notPublic.v4 } },
  { ipBlock: { cidr: '::/0', except: notPublic.v6 } },
]

/**
 * Returns the policy of a role, which refuses all connections that it does not list. In the cluster a role reaches its
 * servers and DNS; outside, if allowed, only public addresses. A container with a browser reaches only the egress
 * proxy.
 */
export function networkPolicy({ name, servers, reaches, ports = {} }: Role): Manifest {
  const callers = name === 'egress' ? [podsOf('fetcher-browser')] : undefined
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(name),
    spec: {
      podSelector: selector(name),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { ports: tcp(innerPort) },
        ...Object.values(ports).map(port => ({ ports: tcp(port), ...(callers && { from: callers }) })),
      ],
      egress: [
        { ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)] },
        ...servers.map(server => ({ to: [podsOf(server)], ports: tcp(serverPorts[server]) })),
        { to: [podsOf('otel-collector')], ports: tcp(4318) },
        ...(reaches === 'egress' ? [{ to: [podsOf('egress')], ports: tcp(egressPort) }] : []),
        ...(reaches === 'public' ? [{ to: outside }] : []),
      ],
    },
  }
}

const https = 443

/**
 * Returns an additional policy for an object store outside of the cluster: roles that use bodies can reach public
 * addresses by HTTPS. An operator who knows the addresses of the store can narrow it.
 */
export const bodiesPolicy = ({ name }: Role): Manifest => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadata(`${name}-bodies`),
  spec: {
    podSelector: selector(name),
    policyTypes: ['Egress'],
    egress: [{ to: outside, ports: tcp(https) }],
  },
})
