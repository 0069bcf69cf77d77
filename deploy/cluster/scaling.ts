/** Generates the autoscaler of a role: by the load of its processes, or by the length of a queue. */
import { type Manifest, metadata, namespace } from './manifest.ts'
import type { Role } from './roles.ts'

/** Returns the autoscaler of a role, or none for a role on standby. */
export function scalingOf({ name, scale, keepsName }: Role): Manifest[] {
  const target = {
    apiVersion: 'apps/v1',
    kind: keepsName ? 'StatefulSet' : 'Deployment',
    name,
  }
  if (scale.by === 'standby') return []
  if (scale.by === 'processor') {
    return [
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: metadata(name),
        spec: {
          scaleTargetRef: target,
          minReplicas: scale.min,
          maxReplicas: scale.max,
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: scale.percent } },
            },
            ...(scale.memory === undefined ? [] : [averageMemory(scale.memory)]),
          ],
          behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
        },
      },
    ]
  }
  return [
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: metadata(name),
      spec: {
        scaleTargetRef: target,
        minReplicaCount: scale.min,
        maxReplicaCount: scale.max,
        cooldownPeriod: 300,
        triggers: [
          {
            type: 'nats-jetstream',
            metadata: {
              // The monitoring port of the servers, which KEDA reads and no pod of ours reaches.
              natsServerMonitoringEndpoint: `nats.${namespace}.svc.cluster.local:8222`,
              account: '$G',
              stream: scale.stream,
              consumer: scale.consumer,
              lagThreshold: String(scale.waiting),
            },
          },
        ],
      },
    },
  ]
}

const averageMemory = (mebibytes: number) => ({
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: `${mebibytes}Mi` } },
})
