import { worksBehindPooler } from './pooler.behaviour.ts'

worksBehindPooler('transaction')
