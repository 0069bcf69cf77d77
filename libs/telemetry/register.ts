/**
 * Tracing of a process: preloaded with `--import`, and only where OTEL_EXPORTER_OTLP_ENDPOINT is set, so that a
 * process without one loads none of this; nor does a thread, which is preloaded too, and has no spans of its own.
 * Metrics are `register-metrics.ts`, to be loaded before it.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) await import('./tracing.ts')
