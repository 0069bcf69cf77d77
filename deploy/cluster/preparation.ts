/**
 * Generates the resources that are created before any role: the namespace, the shared settings, and the job that
 * prepares the servers.
 */
import { confined, image, labels, type Manifest, metadata, namespace, user } from './manifest.ts'

/** Shared settings that are not secret. */
export const settings: Manifest = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata('tidemark-settings'),
  // Three NATS servers keep each stream: one of them may fail or be replaced without an interruption.
  data: { LOG_LEVEL: 'info', STREAM_REPLICAS: '3' },
}

export const namespaceManifest: Manifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/warn': 'restricted' } },
}

/** The job that creates the schemas, roles and streams. It runs once for each version, before the services start. */
export const prepareJob: Manifest = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metadata('prepare'),
  spec: {
    backoffLimit: 4,
    ttlSecondsAfterFinished: 3600,
    template: {
      metadata: { labels: labels('prepare') },
      spec: {
        automountServiceAccountToken: false,
        restartPolicy: 'OnFailure',
        securityContext: {
          runAsNonRoot: true,
          runAsUser: user,
          runAsGroup: user,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'prepare',
            image,
            args: ['prepare'],
            envFrom: [
              { configMapRef: { name: 'tidemark-settings' } },
              { secretRef: { name: 'tidemark-prepare' } },
            ],
            resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '512Mi' } },
            securityContext: confined,
            volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
          },
        ],
        volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
      },
    },
  },
}
