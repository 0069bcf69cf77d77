/** Generates the Kubernetes manifests from the table of roles: the content of each file of deploy/kubernetes. */
import { type Manifest, metadata, selector } from './manifest.ts'
import { bodiesPolicy, networkPolicy } from './network-policy.ts'
import { namespaceManifest, prepareJob, settings } from './preparation.ts'
import { innerPort, type Role, roles } from './roles.ts'
import { scalingOf } from './scaling.ts'
import { workload } from './workload.ts'

/** Returns manifests by file name, relative to deploy/kubernetes. */
export function manifestFiles(): Map<string, Manifest[]> {
  const files = new Map<string, Manifest[]>([
    ['prepare/namespace.yaml', [namespaceManifest]],
    ['prepare/settings.yaml', [settings]],
    ['prepare/job.yaml', [prepareJob]],
  ])
  for (const role of roles) {
    files.set(`base/${role.name}.yaml`, manifestsOf(role))
    const scaling = scalingOf(role)
    if (scaling.length > 0) files.set(`scaling/${role.name}.yaml`, scaling)
    if (role.hasBodies) files.set(`bodies-in-s3/${role.name}.yaml`, [bodiesPolicy(role)])
  }
  return files
}

/** Returns the manifests of one role: its pods, its service, its disruption budget and its network policy. */
const manifestsOf = (role: Role): Manifest[] => [
  workload(role),
  ...(role.ports || role.keepsName ? [service(role)] : []),
  disruptionBudget(role),
  networkPolicy(role),
]

const service = ({ name, ports }: Role): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadata(name),
  spec: ports
    ? {
        selector: selector(name).matchLabels,
        ports: Object.entries(ports).map(([name, port]) => ({ name, port, targetPort: name })),
      }
    : {
        clusterIP: 'None',
        selector: selector(name).matchLabels,
        ports: [{ name: 'inner', port: innerPort, targetPort: 'inner' }],
      },
})

const disruptionBudget = ({ name }: Role): Manifest => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadata(name),
  spec: { maxUnavailable: 1, selector: selector(name) },
})
