/** Builds the fields that all manifests share. */

/** An object of the Kubernetes API, as written in YAML. */
export type Manifest = { apiVersion: string; kind: string; metadata: Metadata } & Record<string, unknown>
type Metadata = { name: string; namespace?: string; labels?: Record<string, string> }

export const namespace = 'tidemark'
export const image = 'tidemark'
/** The user id of the image. This user owns no file of the image. */
export const user = 10_001

export const labels = (name: string) => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': 'tidemark',
})
export const selector = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } })
export const metadata = (name: string): Metadata => ({ name, labels: labels(name) })

/** Security context of every container, without privileges. */
export const confined = {
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
}
