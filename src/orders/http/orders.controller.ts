import type { ServerResponse } from 'node:http';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { Caller, RequireScope } from '@animal-store/api-keys';
import { IdPipe, IfMatch, requestedList, showCreated, showPage } from '@animal-store/web';
import type { Precondition } from '@animal-store/kernel';
import { Idempotent } from '@animal-store/idempotency/swagger';
import { Operation, Tag } from '@animal-store/openapi';
import type { KeyFacts } from '../../access/key-facts.js';
import { UnknownPet } from '../../pets/domain/pet.errors.js';
import { EndOrder } from '../application/end-order.use-case.js';
import { GetOrder } from '../application/get-order.use-case.js';
import { ListOrders } from '../application/list-orders.use-case.js';
import { PlaceOrder } from '../application/place-order.use-case.js';
import type { Order } from '../domain/order.js';
import { OrderNotFound, OrderNotOpen, PetAlreadyOrdered } from '../domain/order.errors.js';
import { ListOrdersDto } from './list-orders.dto.js';
import { NewOrderDto } from './new-order.dto.js';
import { OrderResponse, toOrderResponse } from './order.response.js';

const PATH = '/v1/store/orders';
const OrderId = Param('orderId', new IdPipe(OrderNotFound));

/** Every operation works on the orders of the caller's account only. */
@Tag('Store', 'Orders for animals. An account sees only its own orders.')
@Controller({ path: 'store/orders', version: '1' })
export class OrdersController {
  constructor(
    private readonly list: ListOrders,
    private readonly place: PlaceOrder,
    private readonly get: GetOrder,
    private readonly end: EndOrder,
  ) {}

  @Get()
  @RequireScope('orders:read')
  @Operation({
    summary: 'List orders',
    description: 'Your orders in ascending order of id. The `Link` header has the URL of the next page.',
    response: { page: OrderResponse },
  })
  async listOrders(
    @Caller() { account }: KeyFacts,
    @Query() query: ListOrdersDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly OrderResponse[]> {
    const list = requestedList(PATH, query);
    const page = await this.list.execute({ ...list.filters, account }, list.page);
    return showPage(response, page, list, toOrderResponse);
  }

  @Post()
  @RequireScope('orders:write')
  @Operation({
    summary: 'Place an order',
    description: 'The animal must be `available` and becomes `pending`. Unknown fields are refused.',
    response: { created: OrderResponse },
    errors: [UnknownPet, PetAlreadyOrdered],
  })
  @Idempotent()
  async placeOrder(
    @Caller() { account }: KeyFacts,
    @Body() { petId }: NewOrderDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<OrderResponse> {
    return showCreated(response, PATH, toOrderResponse(await this.place.execute(account, petId)));
  }

  @Get(':orderId')
  @RequireScope('orders:read')
  @Operation({
    summary: 'Get an order',
    description: 'One of your orders.',
    response: { item: OrderResponse },
  })
  async getOrder(@Caller() { account }: KeyFacts, @OrderId orderId: bigint): Promise<OrderResponse> {
    return toOrderResponse(await this.get.execute(account, orderId));
  }

  @Post(':orderId/complete')
  @RequireScope('orders:write')
  @Operation({
    summary: 'Complete an order',
    description: 'The order must be `placed`. Its animal becomes `sold`.',
    response: { changed: OrderResponse },
    example: { status: 'completed', updatedAt: '2026-03-14T12:30:00.000Z' },
    errors: [OrderNotOpen],
  })
  @Idempotent()
  async completeOrder(
    @Caller() { account }: KeyFacts,
    @OrderId orderId: bigint,
    @IfMatch(toOrderResponse) isCurrent?: Precondition<Order>,
  ): Promise<OrderResponse> {
    return toOrderResponse(await this.end.execute(account, orderId, 'complete', isCurrent));
  }

  @Post(':orderId/cancel')
  @RequireScope('orders:write')
  @Operation({
    summary: 'Cancel an order',
    description: 'The order must be `placed`. Its animal becomes `available` again.',
    response: { changed: OrderResponse },
    example: { status: 'cancelled', updatedAt: '2026-03-14T12:30:00.000Z' },
    errors: [OrderNotOpen],
  })
  @Idempotent()
  async cancelOrder(
    @Caller() { account }: KeyFacts,
    @OrderId orderId: bigint,
    @IfMatch(toOrderResponse) isCurrent?: Precondition<Order>,
  ): Promise<OrderResponse> {
    return toOrderResponse(await this.end.execute(account, orderId, 'cancel', isCurrent));
  }
}
