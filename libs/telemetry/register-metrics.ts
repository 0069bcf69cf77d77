/**
 * Metrics and probes of a process: preloaded with `--import` before anything that counts, and only where somebody asks
 * for them. A thread is preloaded too, and has none of its own.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) await import('./measuring.ts')
