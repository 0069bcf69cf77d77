/** Generates the workload of a role: command, user, environment, and probes of its pods. */

import { environmentOf, graceSecondsOf } from './environment.ts'
import { confined, image, labels, type Manifest, metadata, selector, user } from './manifest.ts'
import { innerPort, type Role } from './roles.ts'

export function workload(role: Role): Manifest {
  const { name, keepsName, scale } = role
  return {
    apiVersion: 'apps/v1',
    kind: keepsName ? 'StatefulSet' : 'Deployment',
    metadata: metadata(name),
    spec: {
      // An autoscaler sets the number otherwise, and applying the manifest must not reset it.
      ...(scale.by === 'standby' && { replicas: scale.replicas }),
      selector: selector(name),
      ...(keepsName
        ? { serviceName: name, podManagementPolicy: 'Parallel' }
        : { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } }),
      template: { metadata: { labels: labels(name) }, spec: pod(role) },
    },
  }
}

function pod(role: Role) {
  const { name, hasBrowser } = role
  return {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: graceSecondsOf(role),
    // The pod's first process reaps orphaned processes of a browser, which Node would not do.
    ...(hasBrowser && { shareProcessNamespace: true }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      // Chromium creates its own, stricter sandbox. The default profile forbids the system calls for that.
      seccompProfile: { type: hasBrowser ? 'Unconfined' : 'RuntimeDefault' },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: selector(name),
      },
    ],
    containers: [container(role)],
    volumes: [
      { name: 'tmp', emptyDir: { sizeLimit: hasBrowser ? '2Gi' : '256Mi' } },
      ...(hasBrowser ? [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '512Mi' } }] : []),
    ],
  }
}

function container(role: Role) {
  const { name, runs, cpu, memory, ports = {}, hasBrowser } = role
  const [request, limit] = memory
  const probe = (path: string) => ({ httpGet: { path, port: 'inner' }, timeoutSeconds: 3 })
  return {
    name,
    image,
    args: [runs],
    env: [
      { name: 'INSTANCE', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ...Object.entries(environmentOf(role)).map(([name, value]) => ({ name, value })),
    ],
    envFrom: [
      { configMapRef: { name: 'tidemark-settings' } },
      ...secretsOf(role).map(name => ({ secretRef: { name } })),
      // Optional, because an installation without an object store of bodies has no such Secret.
      ...(role.hasBodies ? [{ secretRef: { name: 'tidemark-bodies', optional: true } }] : []),
    ],
    ports: [
      { name: 'inner', containerPort: innerPort },
      ...Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort })),
    ],
    startupProbe: { ...probe('/startupz'), periodSeconds: 2, failureThreshold: 60 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 3, failureThreshold: 2 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, failureThreshold: 6 },
    resources: { requests: { cpu: `${cpu}m`, memory: `${request}Mi` }, limits: { memory: `${limit}Mi` } },
    securityContext: confined,
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      ...(hasBrowser ? [{ name: 'shm', mountPath: '/dev/shm' }] : []),
    ],
  }
}

/**
 * Returns the names of the Secrets that a role needs: its connections, the sealing key, and the password of the egress
 * proxy.
 */
const secretsOf = ({ runs, seals, reaches }: Role): string[] => [
  runs === 'egress' ? 'tidemark-egress' : `tidemark-${runs}`,
  ...(seals ? ['tidemark-keys'] : []),
  ...(reaches === 'egress' ? ['tidemark-browser'] : []),
]
