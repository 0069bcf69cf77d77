/**
 * Names of spans and their attributes, so that all code uses the same ones. Names that do not begin with `tidemark`
 * are OpenTelemetry's (https://opentelemetry.io/docs/specs/semconv/).
 */
export const spanAttributes = {
  /** The service of the span. Several services can share a process, whose name is `service.name`. */
  service: 'tidemark.service',
  projectId: 'tidemark.project.id',
  runId: 'tidemark.run.id',
  monitorId: 'tidemark.monitor.id',
  exportId: 'tidemark.export.id',
  batchId: 'tidemark.batch.id',
  requestId: 'tidemark.request.id',
  command: 'tidemark.command',
  /** Number of events of a decision. */
  events: 'tidemark.events',
  /** Number of pages or outcomes of the input. */
  pages: 'tidemark.pages',
  projection: 'tidemark.projection',
  webhookAttempt: 'tidemark.webhook.attempt',
  /** The trace of the span was not sampled. The span and its ancestors were kept because of its error. */
  keptForError: 'tidemark.kept_for_error',
  /** Attributes of a process: the name of its service (of the process if it has several services) and its instance. */
  serviceName: 'service.name',
  serviceInstance: 'service.instance.id',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',
  dbSystem: 'db.system.name',
  messagingSystem: 'messaging.system',
  messagingOperation: 'messaging.operation.type',
  messagingDestination: 'messaging.destination.name',
  messagingConsumer: 'messaging.consumer.group.name',
  messagingBatch: 'messaging.batch.message_count',
} as const

/** The names of spans. They are few and constant, and attributes have the details. */
export const spanNames = {
  request: (method: string, route: string) => `${method} ${route}`,
  ask: (subject: string) => `${subject} ask`,
  answer: (subject: string) => `${subject} answer`,
  process: (subject: string) => `${subject} process`,
  project: (projection: string) => `${projection} project`,
  decide: (command: string) => `decide ${command}`,
  settlePages: 'settle pages',
  readSite: 'read site',
  writeExport: 'write export',
  readBatch: 'read batch',
  compareRuns: 'compare runs',
  judgeIntent: 'judge intent',
  fireTick: 'fire tick',
  tellWebhook: 'tell webhook',
} as const
