/** The thread that reads PDFs, one at a time. */
import { parentPort } from 'node:worker_threads'
import { type PdfQuestion, readPdf } from '../handlers/read-pdf.ts'

parentPort?.on('message', async (question: PdfQuestion) => {
  parentPort?.postMessage(await readPdf(question))
})
parentPort?.postMessage('ready')
