/**
 * Sets up metrics and probes of a process. It is preloaded with `--import` before any module that counts, and only on
 * request. Threads preload it too, and have no metrics of their own.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) await import('./measuring.ts')
