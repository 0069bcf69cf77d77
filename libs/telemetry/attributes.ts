/**
 * The names under which spans, metrics and logs say things, spelled once: those of OpenTelemetry's semantic
 * conventions where there is one, our own under `tidemark.` where there is none.
 */

export const attributes = {
  serviceName: 'service.name',
  serviceInstance: 'service.instance.id',

  messagingSystem: 'messaging.system',
  messagingOperation: 'messaging.operation.type',
  messagingDestination: 'messaging.destination.name',
  messagingConsumer: 'messaging.consumer.group.name',
  messagingBatch: 'messaging.batch.message_count',

  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  urlFull: 'url.full',
  serverAddress: 'server.address',
  errorType: 'error.type',

  requestId: 'tidemark.request.id',
  projectId: 'tidemark.project.id',
  runId: 'tidemark.run.id',
  pageId: 'tidemark.page.id',
  shard: 'tidemark.shard',
  stream: 'tidemark.stream',
  sequence: 'tidemark.sequence',
  projection: 'tidemark.projection',
  outcome: 'tidemark.outcome',
  lane: 'tidemark.lane',
} as const

/** The names of our metrics, with their units as the conventions write them. */
export const instruments = {
  pages: { name: 'tidemark.pages', unit: '{page}' },
  oldestOrder: { name: 'tidemark.stream.oldest_age', unit: 's' },
  projectionLag: { name: 'tidemark.projection.lag', unit: '{message}' },
  decisionLatency: { name: 'tidemark.decision.duration', unit: 's' },
  egressRefusals: { name: 'tidemark.egress.refusals', unit: '{request}' },
  browserPool: { name: 'tidemark.browser.contexts', unit: '{context}' },
  billedUnits: { name: 'tidemark.billed', unit: '{unit}' },
} as const
