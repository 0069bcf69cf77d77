/**
 * Sets up the tracing of a process. It is preloaded with `--import`, and only if OTEL_EXPORTER_OTLP_ENDPOINT is set, so
 * that other processes load none of it. Threads preload it too, and have no spans of their own. `register-metrics.ts`
 * sets up metrics and must be loaded first.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) await import('./tracing.ts')
