/** The thread that reads PDFs, one at a time. */
import { parentPort } from 'node:worker_threads'
import { type PdfRequest, readPdf } from '../handlers/read-pdf.ts'

parentPort?.on('message', async (request: PdfRequest) => {
  parentPort?.postMessage(await readPdf(request))
})
parentPort?.postMessage('ready')
