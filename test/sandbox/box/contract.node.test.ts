import { afterEach } from 'vitest';
import { shellContract } from '../../tools/shell/contract.ts';
import { driverOn, type LocalBox, startBox } from './local-box.ts';

const boxes: LocalBox[] = [];

afterEach(async () => {
  for (const box of boxes.splice(0)) await box.close();
});

shellContract(async () => {
  const box = await startBox();
  boxes.push(box);
  return driverOn(box);
});
