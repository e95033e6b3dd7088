import { perRoute } from './once-per.js';

describe('perRoute', () => {
  it('reads each route once, and a handler that two controllers inherit for each of them', () => {
    class PetsController {}
    class OrdersController {}
    function list(): void {}
    const read: string[] = [];
    const nameOf = perRoute((controller: { name: string }, handler: { name: string }) => {
      read.push(`${controller.name}.${handler.name}`);
      return handler === list ? controller.name : null;
    });
    const name = (controller: object, handler: object) =>
      nameOf({ getClass: () => controller as never, getHandler: () => handler as never });

    const add = () => {};
    for (let times = 0; times < 2; times++) {
      const names = [name(PetsController, list), name(OrdersController, list), name(PetsController, add)];
      expect(names).toEqual(['PetsController', 'OrdersController', null]);
    }
    expect(read).toEqual(['PetsController.list', 'OrdersController.list', 'PetsController.add']);
  });
});
