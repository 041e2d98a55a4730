import { runDouble } from './double.ts';

runDouble();
