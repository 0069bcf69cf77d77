/** The common fields of manifests, and the names of their parts. */

/** An object of the API, in its written form. */
export type Manifest = { apiVersion: string; kind: string; metadata: Metadata } & Record<string, unknown>
type Metadata = { name: string; namespace?: string; labels?: Record<string, string> }

export const namespace = 'tidemark'
export const image = 'tidemark'
/** The image's user, which owns nothing in it. */
export const user = 10_001

export const labels = (name: string) => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': 'tidemark',
})
export const selector = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } })
export const metadata = (name: string): Metadata => ({ name, labels: labels(name) })

/** Privileges that no container has. */
export const confined = {
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
}
