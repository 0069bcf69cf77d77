/**
 * Metrics and probes of a process, preloaded with `--import` before any module that counts, and only on request.
 * Threads are preloaded too, and have no metrics of their own.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) await import('./measuring.ts')
