/** Prints the tracer that is loaded, in the process and then in a thread of it. */
import { isMainThread, Worker } from 'node:worker_threads'
import { type ProxyTracerProvider, trace } from '@opentelemetry/api'

console.log((trace.getTracerProvider() as ProxyTracerProvider).getDelegate().constructor.name)
if (isMainThread) new Worker(new URL(import.meta.url)).once('exit', () => process.exit())
