/**
 * What spans and their attributes are called, wherever our own code names one: who looks for something looks for one
 * name. Those that do not begin with `tidemark` are OpenTelemetry's (https://opentelemetry.io/docs/specs/semconv/).
 */
export const spanAttributes = {
  /** The service that did it; several may share a process, which is what `service.name` is about. */
  service: 'tidemark.service',
  projectId: 'tidemark.project.id',
  runId: 'tidemark.run.id',
  monitorId: 'tidemark.monitor.id',
  requestId: 'tidemark.request.id',
  command: 'tidemark.command',
  /** How many events came of a decision. */
  events: 'tidemark.events',
  /** How many pages or outcomes went in. */
  pages: 'tidemark.pages',
  projection: 'tidemark.projection',
  webhookAttempt: 'tidemark.webhook.attempt',
  /** The span's trace was not sampled: it and what it was part of were kept for its error. */
  keptForError: 'tidemark.kept_for_error',
  /** Of a process: its service, or what it is called where it has several, and its own name. */
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

/** Few and the same for all: what differs from one to the next is an attribute. */
export const spanNames = {
  request: (method: string, route: string) => `${method} ${route}`,
  ask: (subject: string) => `${subject} ask`,
  answer: (subject: string) => `${subject} answer`,
  process: (subject: string) => `${subject} process`,
  project: (projection: string) => `${projection} project`,
  decide: (command: string) => `decide ${command}`,
  settlePages: 'settle pages',
  readSite: 'read site',
  compareRuns: 'compare runs',
  fireTick: 'fire tick',
  tellWebhook: 'tell webhook',
} as const
