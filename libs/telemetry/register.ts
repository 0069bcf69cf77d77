/**
 * Tracing of a process, preloaded with `--import`, and only if OTEL_EXPORTER_OTLP_ENDPOINT is set, so that other
 * processes load none of it. Threads are preloaded too, load nothing, and have no spans of their own.
 * `register-metrics.ts` sets up metrics and must be loaded first.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) await import('./tracing.ts')
